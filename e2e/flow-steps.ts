import type { Page } from 'playwright-core'

// The page of a flow: its messages as cards, and what is edited beside them.

/** Opens what is edited of a message, by its place in the flow. */
export const openStep = (page: Page, place: number) =>
  page.getByRole('button', { name: new RegExp(`^(Edit|Show) message ${place},`) }).click()

export const cardOf = (page: Page, place: number) =>
  page
    .getByRole('list', { name: 'Messages in their order' })
    .locator('> li')
    .nth(place - 1)

/** Beside the flow; on a phone a dialog in front of it. */
export const panelOf = (page: Page) => page.locator('.step-panel')
