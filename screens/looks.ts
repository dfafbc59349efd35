import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { AxeOptions } from '../e2e/axe.ts'
import { screens } from '../shared/screens.ts'
import type { ThemeName } from '../web/core/theme/theme-choice.ts'
import { type Screens, WIDE } from './app.ts'
import { campaignStates } from './states/campaigns.ts'
import { flowStates } from './states/flows.ts'
import { operatorStates } from './states/operator.ts'
import { settingsStates } from './states/settings.ts'
import type { State } from './states/state.ts'
import { storeStates } from './states/store.ts'
import { visitorStates } from './states/visitors.ts'

// Visual checks of a screen at desktop and phone width: nothing wider than the page, no truncated title, no axe
// violation.

const WIDTHS = [1280, 360]
/** Rules whose result depends on the layout, not only on the elements. Contrast does not change with the width. */
const BY_LAYOUT = ['target-size', 'scrollable-region-focusable']

const ownerScreens = [
  ...screens.filter(({ frame, access }) => frame !== 'page' || access === 'signed-in').map(({ path }) => path),
  '/settings/consent#suppressions',
  '/settings/consent#ledger',
  '/settings/consent#preferences',
  '/settings/faq#sync',
  '/cart/recover?cart_id=:id',
]
const visitorScreens = [
  '/login',
  '/register',
  '/reset-password?token=x',
  '/terms',
  '/privacy',
  '/how-we-test',
  '/test',
  '/nowhere',
]

/** Every screen, and every state of one. */
export const looks: State[] = [
  ...ownerScreens.map((path): State => ({ name: path, path })),
  ...visitorScreens.map((path): State => ({ name: `${path} for visitors`, path, as: 'visitor' })),
  ...visitorStates,
  ...storeStates,
  ...flowStates,
  ...campaignStates,
  ...settingsStates,
  ...operatorStates,
]

/** The frame around a screen: axe checks it once per screen, not for each state. */
const FRAME = ['.shell-side', '.shell-header']
const MODAL = '[role=dialog][aria-modal=true]'
/**
 * Content behind a modal cannot be read or reached, so it is checked without the modal. Modals and menus are siblings
 * of it.
 */
const BEHIND = ['#root']
/** Rules about a page as a whole. */
const OF_A_PAGE = ['bypass', 'landmark-one-main', 'page-has-heading-one', 'region']

/** In the light theme. Contrast in the other themes is measured on the color roles (`web/core/theme/roles.test.ts`). */
export async function checkLook(app: Screens, state: State): Promise<void> {
  const widths = await reach(app, state)
  // A state is reached at desktop width and checked at phone width, where overflow appears first. The proof `themes`
  // checks both.
  const isState = state.given !== undefined || state.steps !== undefined
  for (const [index, width] of (isState ? widths.slice(-1) : widths).entries()) {
    await resize(app, width, state)
    const part = state.steps ? await changedPart(app.page) : {}
    const rules = index === 0 ? part : { rules: BY_LAYOUT }
    expect(await app.findViolations(rules), `at ${width} px`).toEqual([])
    await expectFit(app.page, width)
  }
}

/** The state's own parts, beside those of its screen. */
async function changedPart(page: Page): Promise<AxeOptions> {
  const isModal = (await page.locator(MODAL).count()) > 0
  return { exclude: isModal ? BEHIND : FRAME, without: OF_A_PAGE }
}

/** In several themes, with each part. `SCREENSHOTS=folder` saves a picture of each. */
export async function checkThemes(app: Screens, state: State, themes: readonly ThemeName[]): Promise<void> {
  const { page } = app
  for (const width of await reach(app, state)) {
    await resize(app, width, state)
    for (const theme of themes) {
      await chooseTheme(page, theme)
      // The elements are the same in every theme; only colors differ.
      const rules = theme === themes[0] ? {} : { rules: ['color-contrast'] }
      expect(await app.findViolations(rules), `at ${width} px, ${theme}`).toEqual([])
      await savePicture(page, `${state.name}-${width}-${theme}`)
    }
    await expectFit(page, width)
  }
}

/** Opens the screen and reaches the state. Returns the widths to check. */
async function reach(app: Screens, state: State): Promise<number[]> {
  const { path, as, given, steps, storage = {}, widths = WIDTHS } = state
  await given?.(app.api, app.page)
  const options = { as, storage, viewport: { ...WIDE, width: widths[0]! } }
  if (steps) {
    await app.go(path, options)
    for (const step of steps) await step(app.page)
  } else {
    await app.open(path, options)
    await expect.poll(() => app.page.getByText(/ not found$/).count()).toBe(path === '/nowhere' ? 1 : 0)
  }
  return widths
}

async function resize(app: Screens, width: number, { isLoading = false }: State): Promise<void> {
  if (app.page.viewportSize()?.width !== width) await app.page.setViewportSize({ ...WIDE, width })
  await app.waitUntilSettled({ isLoading })
}

async function expectFit(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(findOverflow), `wider than ${width} px`).toEqual([])
  expect(await page.evaluate(findCutTitles), `titles cut off at ${width} px`).toEqual([])
}

async function savePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, '-').replace(/^-/, '')}.png`, fullPage: true })
}

/** Like a choice in another tab: without a reload. */
async function chooseTheme(page: Page, theme: ThemeName): Promise<void> {
  await page.evaluate((value) => {
    localStorage.setItem('theme', value)
    dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  }, theme)
  await page.waitForFunction((value) => document.documentElement.dataset.theme === value, theme)
}

/** If the page scrolls sideways: its width and the overflowing elements. */
const findOverflow = () => {
  const { scrollWidth } = document.documentElement
  if (scrollWidth <= innerWidth) return []
  const outside = [...document.body.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > innerWidth,
  )
  return [`${scrollWidth} px`, ...outside.slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 120))]
}

/** Truncated titles: the section, or the back link. */
const findCutTitles = () =>
  [...document.querySelectorAll('.header-title, .header-back')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ textContent }) => textContent)
