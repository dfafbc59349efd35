import { expect, test } from 'vitest'
import { createScreens, PHONE } from './app.ts'

// The bar of unsaved changes never covers the edited field.

const app = createScreens()
const saveBar = () => app.page.getByRole('region', { name: 'Unsaved changes' })

test.each([{ width: 1_280, height: 620 }, PHONE])('the bar covers no edited field at %o', async (viewport) => {
  await app.open('/settings/sending/brand', { viewport })
  const field = app.page.getByRole('textbox', { name: 'Shipping and returns' })
  const findDistance = async () => {
    const [box, bar] = [(await field.boundingBox())!, (await saveBar().boundingBox())!]
    return bar.y - box.y - box.height
  }
  const moveToLowerEdge = () =>
    field.evaluate((each) => scrollBy({ top: each.getBoundingClientRect().bottom - innerHeight, behavior: 'instant' }))
  await moveToLowerEdge()
  // Pasted: unlike a key press, it does not make the browser scroll to the cursor.
  await field.evaluate((each: HTMLInputElement) => each.focus({ preventScroll: true }))
  await field.fill('Ships within two days')
  await saveBar().waitFor()
  await expect.poll(findDistance).toBeGreaterThan(0)
  // A click focuses a field that the bar covers in part, without scrolling.
  await field.evaluate((each) => each.blur())
  await moveToLowerEdge()
  await field.evaluate((each: HTMLInputElement) => each.focus({ preventScroll: true }))
  await expect.poll(findDistance).toBeGreaterThan(0)
})
