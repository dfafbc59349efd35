import { afterEach } from 'vitest'
import { openPages } from './browser.ts'

// When a journey fails, saves what each of its pages showed, because the failure may not be reproducible.

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const page of await openPages()) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 2_000 })
      .catch((error: Error) => `(cannot be read: ${error.message})`)
    console.error(`── ${task.name}\n── ${page.url()} showed:\n${text.slice(0, 1_500)}\n`)
  }
})
