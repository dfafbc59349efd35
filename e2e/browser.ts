import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { withOwnFonts } from './fonts.ts'

/**
 * With each window the browser would build its own address bar's pop-ups: four hundred files of its own, beside the page that is looked at,
 * which was drawn half a second later for it. The others are what Playwright switches off; of two lists the browser reads the last.
 */
const OFF = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...[
    'DestroyProfileOnBrowserClose',
    'HttpsFirstBalancedModeAutoEnable',
    'HttpsUpgrades',
    'LensOverlay',
    'MediaRouter',
  ],
  ...['NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch'],
  'ThirdPartyStoragePartitioning',
]

/** The one Chromium of a worker of the tests. */
let kept: Promise<Browser> | undefined

const launchOptions = (): LaunchOptions => ({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  env: withOwnFonts(process.env),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // No page of a test lives long enough to earn back what its code costs to optimize.
    '--js-flags=--no-opt,--no-maglev',
    `--disable-features=${OFF.join(',')}`,
  ],
})

/** Each worker of the tests has one Chromium for all of its files, which only close their pages. Elsewhere each call starts one. */
export async function openBrowser(): Promise<Browser> {
  if (!process.env.VITEST) return launch()
  if (!(await kept)?.isConnected()) kept = launch()
  return kept!
}

/** The pages that are open in the worker's Chromium. */
export const openPages = async (): Promise<Page[]> =>
  ((await kept)?.contexts() ?? []).flatMap((context) => context.pages())

const launch = async () => atRest(await chromium.launch(launchOptions()))

/** So long is waited for what a page is to show: half a minute is over before a busy machine has loaded one. */
const PATIENCE_MS = 90_000

/** A page that moves is drawn sixty times a second for as long as it is open: none does unless a journey is about that. */
function atRest(browser: Browser): Browser {
  const open = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await open({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}

/** Contexts that last as long as their worker. */
export const lasting = new Set<BrowserContext>()

/** What a test has opened and left open goes on asking the server beside all that comes after it. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) {
    if (lasting.has(context)) continue
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
}
