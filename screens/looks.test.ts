import { describe, test } from 'vitest'
import { createScreens } from './app.ts'
import { checkLook, looks } from './looks.ts'

const app = createScreens()

describe('has no overflow, truncated title or axe violation at desktop and phone width:', () => {
  test.each(looks)('$name', (state) => checkLook(app, state))
})
