import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { buildFontEnvironment } from './fonts.ts'

/**
 * Disables the address bar's pop-ups: each window would build them from four hundred files and draw half a second
 * later. The other features are those Playwright disables; of two lists the browser reads the last.
 */
const OFF = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** The worker's only Chromium. */
let cached: Promise<Browser> | undefined

const buildLaunchOptions = (): LaunchOptions => ({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  env: buildFontEnvironment(process.env),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // No test page lives long enough for optimized code to pay off.
    '--js-flags=--no-opt,--no-maglev',
    `--disable-features=${OFF.join(',')}`,
  ],
})

/**
 * Each test worker has one Chromium for all its files, which only close their pages. Elsewhere each call starts one.
 */
export async function openBrowser(): Promise<Browser> {
  if (!process.env.VITEST) return launch()
  if (!(await cached)?.isConnected()) cached = launch()
  return cached!
}

/** Open pages of the worker's Chromium. */
export const openPages = async (): Promise<Page[]> =>
  ((await cached)?.contexts() ?? []).flatMap((context) => context.pages())

const launch = async () => disableAnimations(await chromium.launch(buildLaunchOptions()))

/** How long to wait for a page. Half a minute is too short on a busy machine. */
const PATIENCE_MS = 90_000

/** Animations are redrawn sixty times a second, so pages have none unless a journey needs them. */
function disableAnimations(browser: Browser): Browser {
  const open = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await open({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}

/** Contexts that live as long as their worker. */
export const persistentContexts = new Set<BrowserContext>()

/** Closes pages a test left open: they would keep polling the server during later tests. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) {
    if (persistentContexts.has(context)) continue
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
}
