import type { Page } from 'playwright-core'

// Page objects of the flow page: its message cards and the editor beside them.

/** Opens the editor of a message, by its position in the flow. */
export const openStep = (page: Page, place: number) =>
  page.getByRole('button', { name: new RegExp(`^(Edit|Show) message ${place},`) }).click()

export const findStepCard = (page: Page, place: number) =>
  page
    .getByRole('list', { name: 'Messages in their order' })
    .locator('> li')
    .nth(place - 1)

/** Beside the flow; on a phone a dialog in front of it. */
export const findStepPanel = (page: Page) => page.locator('.step-panel')
