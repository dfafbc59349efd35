import { describe, test } from 'vitest'
import { createScreens } from '../screens/app.ts'
import { checkThemes, looks } from '../screens/looks.ts'
import { themeNames } from '../web/core/theme/theme-choice.ts'

const app = createScreens()

describe('every theme has no overflow, truncated title or axe violation:', () => {
  test.each(looks)('$name', (state) => checkThemes(app, state, themeNames))
})
