import { describe, test } from 'vitest'
import { checkFits, checkReadable, mailVariants, renderMailHtml, sampleMails } from '../screens/account-mails.ts'
import { createScreens } from '../screens/app.ts'

const app = createScreens()

describe.each(Object.entries(sampleMails))('account mail: %s', (_name, mail) => {
  test('fits a phone and a window in any font', async () => {
    const page = await app.openAnotherPage()
    for (const look of Object.values(mailVariants)) {
      for (const width of [320, 640]) await checkFits(page, look(renderMailHtml(mail)), width)
    }
  })

  test('is readable in the light and dark theme', async () => {
    const page = await app.openAnotherPage()
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 640]) await checkReadable(page, renderMailHtml(mail), colorScheme, width)
    }
  })
})
