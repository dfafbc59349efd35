import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Accessibility of a page. Within the page itself: a look that opens a tab of its own for the report, as the builder does by default,
 * takes twice the time, and only frames of other sites need it; previews of mails are no part of our screens.
 */
export const axeOf = (page: Page): AxeBuilder =>
  new AxeBuilder({ page: page as never }).setLegacyMode(true).exclude('iframe')
