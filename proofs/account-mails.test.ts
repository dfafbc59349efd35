import { describe, test } from 'vitest'
import { checkFits, checkReadable, htmlOf, looks, mails } from '../screens/account-mails.ts'
import { aScreen } from '../screens/app.ts'

const app = aScreen()

describe.each(Object.entries(mails))('the mail %s', (_name, mail) => {
  test('fits a phone and a window in any font', async () => {
    const page = await app.another()
    for (const look of Object.values(looks)) {
      for (const width of [320, 640]) await checkFits(page, look(htmlOf(mail)), width)
    }
  })

  test('is readable by day and at night', async () => {
    const page = await app.another()
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 640]) await checkReadable(page, htmlOf(mail), colorScheme, width)
    }
  })
})
