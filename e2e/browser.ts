import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
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

const browsers = new Set<Browser>()

/** Those that were opened and not closed. */
export const openBrowsers = (): Browser[] => [...browsers].filter((browser) => browser.isConnected())

export const launchOptions = (): LaunchOptions => ({
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

/** In a run of the tests, a connection to its one Chromium (`screens/chromium.ts`); elsewhere a Chromium of its own. */
export async function openBrowser(): Promise<Browser> {
  const shared = process.env.TEST_CHROMIUM
  const browser = await (shared ? chromium.connect(shared) : chromium.launch(launchOptions()))
  browsers.add(browser)
  return atRest(browser)
}

/** A page that moves is drawn sixty times a second for as long as it is open: none does unless a journey is about that. */
function atRest(browser: Browser): Browser {
  const open = browser.newContext.bind(browser)
  browser.newContext = (options) => open({ reducedMotion: 'reduce', ...options })
  return browser
}

/** What a test has opened and left open goes on asking the server beside all that comes after it. */
export async function closePages(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) {
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  }
}
