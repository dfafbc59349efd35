import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Accessibility of a page. Within the page itself: a look that opens a tab of its own for the report, as the builder does by default,
 * takes twice the time, and only frames of other sites need it; previews of mails are no part of our screens. What is right is not listed:
 * naming each such element was a third of the work.
 */
export const axeOf = (page: Page): AxeBuilder =>
  new AxeBuilder({ page: page as never })
    .setLegacyMode(true)
    .exclude('iframe')
    .options({ resultTypes: ['violations'] })
