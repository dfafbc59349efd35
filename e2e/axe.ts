import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/**
 * Accessibility of a page. Within the page itself: a look that opens a tab of its own for the report, as the builder does by default,
 * takes twice the time, and only frames of other sites need it; previews of mails are no part of our screens. What is right is not listed:
 * naming each such element was a third of the work.
 */
export const axeOf = (page: Page): AxeBuilder =>
  new LoadedOnce(page)
    .setLegacyMode(true)
    .exclude('iframe')
    .options({ resultTypes: ['violations'] })

/** The builder hands half a megabyte of script to a page and all of its frames, twice, for each look. */
class LoadedOnce extends AxeBuilder {
  readonly #page: Page

  constructor(page: Page) {
    super({ page: page as never, axeSource: '0' })
    this.#page = page
  }

  override async analyze() {
    const isLoaded = await this.#page.evaluate(() => 'axe' in window)
    // biome-ignore lint/complexity/useLiteralKeys: the builder keeps it to itself
    if (!isLoaded) await this.#page.evaluate(new AxeBuilder({ page: this.#page as never })['script']())
    return super.analyze()
  }
}
