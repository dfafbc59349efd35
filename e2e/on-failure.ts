import { afterEach } from 'vitest'
import { openPages } from './browser.ts'

// A journey that fails says what each of its pages showed then: it may never fail again where somebody looks.

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const page of await openPages()) {
    const shown = await page
      .locator('body')
      .innerText({ timeout: 2_000 })
      .catch((error: Error) => `(cannot be read: ${error.message})`)
    console.error(`── ${task.name}\n── ${page.url()} showed:\n${shown.slice(0, 1_500)}\n`)
  }
})
