import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
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

export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
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
      `--disable-features=${OFF.join(',')}`,
    ],
  })
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

/**
 * Pages that are used again and again: closing the context of one empties it and keeps it for the next who asks. Loaded in a process that
 * has the app's files and compiled scripts, a page costs half. A clock, added scripts and routed web sockets cannot be taken out of a page:
 * whoever adds them opens a context of its own. `idle` is an address of the app at which no script runs.
 */
export function keptPages(browser: Browser, idle: string, options: BrowserContextOptions): () => Promise<Page> {
  const free: Page[] = []
  return async () => {
    const kept = free.pop()
    if (kept) return kept
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(idle)
    const close = context.close.bind(context)
    context.close = async () => {
      if (free.includes(page)) return
      // A server that is away, or a page that has crashed: the next one is a new one.
      await emptied(page, idle, options).then(
        () => free.push(page),
        () => close(),
      )
    }
    return page
  }
}

const LISTENED = ['request', 'requestfinished', 'requestfailed', 'response', 'console', 'pageerror', 'dialog'] as const

async function emptied(page: Page, idle: string, { viewport }: BrowserContextOptions): Promise<void> {
  for (const event of LISTENED) await page.removeAllListeners(event, { behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto(idle)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.context().clearCookies()
  if (viewport) await page.setViewportSize(viewport)
}
