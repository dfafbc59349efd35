import { existsSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../e2e/browser.ts'
import { analyticsRanges, rangeDays } from '../shared/analytics.ts'
import { ask, type Scene } from './analytics.bench.ts'
import type { Figure } from './figures.ts'
import { median, percentile } from './measure.ts'
import { type Kept, keptBy } from './paint.bench.ts'

// What the screen of analytics waits for: its calls in the order it makes them, and in a browser that has no file of it in store.

const GOAL = { below: 1_000 }
const LOADS = 7

export async function measureScreen(scene: Scene): Promise<Figure[]> {
  scene.lab.say('asking for all of the screen')
  const atOnce = await together(scene)
  if (existsSync(new URL('../dist/web/index.html', import.meta.url))) return [...atOnce, await seen(scene)]
  scene.lab.say('no app is built: the screen is not measured in a browser')
  return atOnce
}

/** Figures and details together, then what is drawn below them. */
async function together(scene: Scene): Promise<Figure[]> {
  const [first, all, bare]: number[][] = [[], [], []]
  for (let n = -2; n < Math.max(5, Math.round(20 * scene.lab.scale)); n++) {
    for (const range of analyticsRanges) {
      const begun = performance.now()
      const details = ask(scene, `/analytics/details?range=${range}`)
      await ask(scene, `/analytics?range=${range}`)
      const figuresMs = performance.now() - begun
      await Promise.all([
        ...[details, ask(scene, `/analytics/roi?range=${range}`)],
        ask(scene, `/analytics/recovery-rate-trend?period=${range}`),
        ask(scene, `/analytics/revenue-trend?period=${range}`),
      ])
      const allMs = performance.now() - begun
      const reachMs = await ask(scene, '/carts/reach', { days: rangeDays[range] })
      if (n < 0) continue
      first!.push(figuresMs)
      all!.push(allMs)
      bare!.push(reachMs)
    }
  }
  const p95 = (name: string, taken: number[], note: string): Figure => ({
    ...{ name, value: percentile(taken, 0.95), unit: 'ms' },
    note: `p50 ${median(taken).toFixed(0)} ms; ${note}`,
  })
  return [
    { ...p95('screen: figures there, p95', first!, 'figures and details at once, all ranges'), goal: GOAL },
    { ...p95('screen: all figures, trends, details and ROI there, p95', all!, 'five calls'), goal: GOAL },
    p95('carts that can be reached, by themselves, p95', bare!, 'judges up to 5,000 carts; loaded after the rest'),
  ]
}

async function seen({ lab, server, token }: Scene): Promise<Figure> {
  lab.say('opening the screen')
  const browser = await openBrowser()
  try {
    const kept = await keptBy(browser, server, token)
    const [screen, landing]: number[][] = [[], []]
    for (let n = 0; n < LOADS; n++) {
      landing!.push(await usable(browser, `${server.url}/landing.html`, 'h1'))
      screen!.push(await usable(browser, `${server.url}/analytics?range=1y`, '.analytics-pair', kept))
    }
    return {
      ...{ name: 'screen usable in a browser, nothing in store, 1y', value: median(screen!), unit: 'ms', goal: GOAL },
      ceiling: { name: 'landing page', value: median(landing!) },
      note: `from the address to cards and funnel, median of ${LOADS}, slowest ${Math.round(Math.max(...screen!))} ms`,
    }
  } finally {
    await browser.close()
  }
}

async function usable(browser: Browser, url: string, selector: string, kept?: Kept): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(kept && { storageState: kept }),
  })
  try {
    await context.addInitScript(noteWhenSeen, selector)
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    const seenAt = await page.waitForFunction(() => (window as Seeing).seenAt)
    return (await seenAt.jsonValue())!
  } finally {
    await context.close()
  }
}

type Seeing = Window & { seenAt?: number }

/** In the page, at each frame from the address on: whoever waits for it from outside looks every half second only. */
function noteWhenSeen(selector: string): void {
  const look = () => {
    const isSeen = document.querySelector(selector)?.checkVisibility({ visibilityProperty: true })
    if (isSeen) (window as Seeing).seenAt = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
