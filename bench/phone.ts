import { chromium, type Page } from 'playwright-core'
import type { Figure } from './figures.ts'
import { computeMedian } from './measure.ts'
import type { BrowserState } from './paint.bench.ts'

// A phone with an empty cache: Slow 4G (150 ms, 1.6 Mbit/s down, 750 kbit/s up) and a processor four times slower. The
// browser compiles as usual, unlike that of the tests.

const MBIT = 1024 * 1024
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * MBIT) / 8,
  uploadThroughput: (0.75 * MBIT) / 8,
}
const SLOWER = 4
const LOADS = 5
const MAX_FILES = 25

interface Screen {
  path: string
  isSignedIn: boolean
  lcpBelowMs?: number
  tbtBelowMs?: number
}

const SCREENS: readonly Screen[] = [
  { path: '/dashboard', isSignedIn: true, lcpBelowMs: 2_500 },
  { path: '/flows', isSignedIn: true, lcpBelowMs: 3_000 },
  { path: '/login', isSignedIn: false, tbtBelowMs: 300 },
  { path: '/cart/recover?cart_id=rt_x', isSignedIn: false },
]

interface Load {
  lcpMs: number
  tbtMs: number
  /** Scripts, style sheets and fonts. */
  files: number
  scriptKb: number
}

export async function measurePhone(origin: string, signedIn: BrowserState): Promise<Figure[]> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const open = async (screen: Screen) => {
    const context = await browser.newContext({
      ...{ viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
      ...(screen.isSignedIn && { storageState: signedIn }),
    })
    try {
      return await load(await context.newPage(), origin + screen.path)
    } finally {
      await context.close()
    }
  }
  try {
    const figures: Figure[] = []
    for (const screen of SCREENS) {
      const loads: Load[] = []
      for (let n = 0; n < LOADS; n++) loads.push(await open(screen))
      figures.push(...describe(screen, loads))
    }
    return figures
  } finally {
    await browser.close()
  }
}

function describe({ path, lcpBelowMs, tbtBelowMs }: Screen, loads: Load[]): Figure[] {
  const name = `${path.split('?')[0]} on a phone, Slow 4G, CPU ÷ ${SLOWER}`
  const median = (read: (load: Load) => number) => computeMedian(loads.map(read))
  return [
    {
      ...{ name: `largest paint of ${name}`, value: median(({ lcpMs }) => lcpMs), unit: 'ms' },
      ...(lcpBelowMs && { goal: { below: lcpBelowMs } }),
    },
    {
      ...{ name: `blocking time of ${name}`, value: median(({ tbtMs }) => tbtMs), unit: 'ms' },
      ...(tbtBelowMs && { goal: { below: tbtBelowMs } }),
    },
    {
      ...{ name: `files of ${name}`, value: Math.max(...loads.map(({ files }) => files)), unit: 'files' },
      goal: { below: MAX_FILES + 1 },
      note: `${Math.round(median(({ scriptKb }) => scriptKb))} KB of script as served`,
    },
  ]
}

async function load(page: Page, url: string): Promise<Load> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', SLOW_4G)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  const types = new Map<string, string>()
  const loaded: { type: string; bytes: number }[] = []
  devtools.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type))
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
    loaded.push({ type: types.get(requestId) ?? '', bytes: encodedDataLength }),
  )
  await page.addInitScript(recordTimings)
  await page.goto(url, { waitUntil: 'networkidle' })
  const timings = await page.evaluate(readTimings)
  const scripts = loaded.filter(({ type }) => type === 'Script')
  return {
    ...timings,
    files: loaded.filter(({ type }) => /^(Script|Stylesheet|Font)$/.test(type)).length,
    scriptKb: scripts.reduce((sum, { bytes }) => sum + bytes, 0) / 1024,
  }
}

type Recorded = typeof globalThis & { lcpMs: number; tbtMs: number }

/** Runs in the page before its scripts. */
function recordTimings(): void {
  const page = globalThis as Recorded
  Object.assign(page, { lcpMs: 0, tbtMs: 0 })
  const observe = (type: string, note: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => {
    page.lcpMs = startTime
  })
  // What a task takes beyond 50 ms.
  observe('longtask', ({ duration }) => {
    page.tbtMs += duration - 50
  })
}

/** Runs in the page. */
function readTimings(): Pick<Load, 'lcpMs' | 'tbtMs'> {
  const { lcpMs, tbtMs } = globalThis as Recorded
  return { lcpMs, tbtMs }
}
