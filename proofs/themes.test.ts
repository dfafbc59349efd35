import { describe, test } from 'vitest'
import { createScreens } from '../screens/app.ts'
import { checkThemes, looks } from '../screens/looks.ts'
import { themeNames } from '../web/theme/chosen.ts'

const app = createScreens()

describe('has no overflow, cut title or violation of axe in every theme:', () => {
  test.each(looks)('$name', (state) => checkThemes(app, state, themeNames))
})
