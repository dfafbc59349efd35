import type { Browser, BrowserContext } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { openCarts } from './carts.ts'
import type { Bench, Figure } from './figures.ts'
import { startSink } from './helpers.ts'
import type { Lab } from './lab.ts'
import { signIn } from './list.bench.ts'
import { computeMedian } from './measure.ts'
import { measurePhone } from './phone.ts'
import { type Server, startServer } from './server.ts'

// Method: the built app (`npm run build` first) from server/main.ts with both roles, signed in as the returning owner
// of the largest store of `list`. A browser with an empty cache loads each path in turn; a load ends after half a
// second without requests. The landing page, which needs no script, serves as the baseline of browser and machine. `phone.ts` adds a slow phone.

const PATHS = ['/dashboard', '/carts', '/settings']
const WIDTHS = [1280, 360]
const LOADS = 7

export const bench: Bench = { name: 'paint', run }

async function run(lab: Lab): Promise<Figure[]> {
  const instance = await openCarts(lab)
  const sink = await startSink()
  const env = { SMTP_URL: `smtp://127.0.0.1:${sink.port}`, DATABASE_URL: instance.url }
  const server = await startServer(env)
  const browser = await openBrowser()
  try {
    const signedIn = await readBrowserState(browser, server, await signIn(instance, instance.stores.at(-1)!))
    const figures: Figure[] = []
    for (const width of WIDTHS) figures.push(...(await measure(browser, server, { signedIn, width })))
    return [...figures, ...(await measurePhone(server.url, signedIn))]
  } finally {
    await browser.close()
    await server.stop()
    await sink.stop()
    await instance.close()
  }
}

export type BrowserState = Awaited<ReturnType<BrowserContext['storageState']>>

interface Load {
  paintMs: number
  shift: number
}

async function measure(
  browser: Browser,
  server: Server,
  { signedIn, width }: { signedIn: BrowserState; width: number },
): Promise<Figure[]> {
  const loads = new Map<string, Load[]>(['/landing.html', ...PATHS].map((path) => [path, []]))
  for (let n = 0; n < LOADS; n++) {
    for (const [path, timings] of loads)
      timings.push(
        await load(browser, server.url + path, { width, stored: path === '/landing.html' ? undefined : signedIn }),
      )
  }
  const listPaintTimes = (path: string) => loads.get(path)!.map(({ paintMs }) => paintMs)
  return PATHS.map((path) => ({
    name: `largest paint of ${path}, signed in, nothing in store, ${width} px`,
    value: computeMedian(listPaintTimes(path)),
    unit: 'ms',
    ceiling: { name: 'landing page', value: computeMedian(listPaintTimes('/landing.html')) },
    goal: { below: 1_200 },
    note: `slowest ${Math.round(Math.max(...listPaintTimes(path)))} ms, largest layout shift ${Math.max(...loads.get(path)!.map(({ shift }) => shift)).toFixed(4)}`,
  }))
}

async function load(
  browser: Browser,
  url: string,
  { width, stored }: { width: number; stored: BrowserState | undefined },
): Promise<Load> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    ...(stored && { storageState: stored }),
  })
  try {
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'networkidle' })
    return await page.evaluate(readTimings)
  } finally {
    await context.close()
  }
}

/** Storage state of a returning user: token, user and store, without cached files. */
export async function readBrowserState(browser: Browser, server: Server, token: string): Promise<BrowserState> {
  const context = await browser.newContext()
  try {
    await context.addInitScript((value) => localStorage.setItem('token', value), token)
    await (await context.newPage()).goto(`${server.url}/dashboard`, { waitUntil: 'networkidle' })
    return await context.storageState()
  } finally {
    await context.close()
  }
}

/** Runs in the page and reads the browser's performance entries. */
function readTimings(): Promise<Load> {
  const readEntries = (type: string) =>
    new Promise<PerformanceEntry[]>((resolve) => {
      const entries: PerformanceEntry[] = []
      new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true })
      setTimeout(() => resolve(entries), 100)
    })
  return Promise.all([readEntries('largest-contentful-paint'), readEntries('layout-shift')]).then(
    ([paints, shifts]) => ({
      paintMs: paints.at(-1)!.startTime,
      shift: shifts.reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0),
    }),
  )
}
