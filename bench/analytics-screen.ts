import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { analyticsRanges, rangeDays } from '../shared/insights/analytics.ts'
import { fetchTimed, type Scene } from './analytics.bench.ts'
import type { Figure } from './figures.ts'
import { computeMedian, computePercentile } from './measure.ts'
import { type BrowserState, readBrowserState } from './paint.bench.ts'

// Load time of the analytics screen: its calls in order, and in a browser with an empty cache.

const GOAL = { below: 1_000 }
const LOADS = 7

export async function measureScreen(scene: Scene): Promise<Figure[]> {
  scene.lab.say('asking for all of the screen')
  const atOnce = await measureCalls(scene)
  if (existsSync(new URL('../dist/web/index.html', import.meta.url))) return [...atOnce, await measurePaint(scene)]
  scene.lab.say('no app is built: the screen is not measured in a browser')
  return atOnce
}

/** Requests figures and details in parallel, then the content below them. */
async function measureCalls(scene: Scene): Promise<Figure[]> {
  const [first, all, bare]: number[][] = [[], [], []]
  for (let n = -2; n < Math.max(5, Math.round(20 * scene.lab.scale)); n++) {
    for (const range of analyticsRanges) {
      const startedAt = performance.now()
      const details = fetchTimed(scene, `/analytics/details?range=${range}`)
      await fetchTimed(scene, `/analytics?range=${range}`)
      const figuresMs = performance.now() - startedAt
      await Promise.all([
        details,
        fetchTimed(scene, `/analytics/roi?range=${range}`),
        fetchTimed(scene, `/analytics/recovery-rate-trend?period=${range}`),
        fetchTimed(scene, `/analytics/revenue-trend?period=${range}`),
      ])
      const allMs = performance.now() - startedAt
      const reachMs = await fetchTimed(scene, '/carts/reach', { days: rangeDays[range] })
      if (n < 0) continue
      first!.push(figuresMs)
      all!.push(allMs)
      bare!.push(reachMs)
    }
  }
  const p95 = (name: string, timings: number[], note: string): Figure => ({
    name,
    value: computePercentile(timings, 0.95),
    unit: 'ms',
    note: `p50 ${computeMedian(timings).toFixed(0)} ms; ${note}`,
  })
  return [
    { ...p95('screen: figures there, p95', first!, 'figures and details at once, all ranges'), goal: GOAL },
    { ...p95('screen: all figures, trends, details and ROI there, p95', all!, 'five calls'), goal: GOAL },
    p95('carts that can be reached, by themselves, p95', bare!, 'judges up to 5,000 carts; loaded after the rest'),
  ]
}

async function measurePaint({ lab, server, token }: Scene): Promise<Figure> {
  lab.say('opening the screen')
  const browser = await openBrowser()
  try {
    const stored = await readBrowserState(browser, server, token)
    const [screen, landing]: number[][] = [[], []]
    for (let n = 0; n < LOADS; n++) {
      landing!.push(await loadUntilVisible(browser, `${server.url}/landing.html`, 'h1'))
      screen!.push(await loadUntilVisible(browser, `${server.url}/analytics?range=1y`, '.analytics-pair', stored))
    }
    return {
      name: 'screen usable in a browser, nothing in store, 1y',
      value: computeMedian(screen!),
      unit: 'ms',
      goal: GOAL,
      ceiling: { name: 'landing page', value: computeMedian(landing!) },
      note: `from the address to cards and funnel, median of ${LOADS}, slowest ${Math.round(Math.max(...screen!))} ms`,
    }
  } finally {
    await browser.close()
  }
}

async function loadUntilVisible(
  browser: Browser,
  url: string,
  selector: string,
  stored?: BrowserState,
): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(stored && { storageState: stored }),
  })
  try {
    await context.addInitScript(recordFirstPaint, selector)
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    const paintedAt = await page.waitForFunction(() => (window as PaintWindow).paintedAt)
    return (await paintedAt.jsonValue())!
  } finally {
    await context.close()
  }
}

type PaintWindow = Window & { paintedAt?: number }

/** Runs in the page and checks every frame. Playwright's own waiting would poll too slowly. */
function recordFirstPaint(selector: string): void {
  const check = () => {
    const isVisible = document.querySelector(selector)?.checkVisibility({ visibilityProperty: true })
    if (isVisible) (window as PaintWindow).paintedAt = performance.now()
    else requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
}
