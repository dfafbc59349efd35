import { describe, test } from 'vitest'
import { aScreen } from './app.ts'
import { checkLook, looks } from './looks.ts'

const app = aScreen()

describe('has no overflow, cut title or violation of axe at the width of a desk and of a phone:', () => {
  test.each(looks)('$name', (state) => checkLook(app, state))
})
