import * as api from '../../../shared/insights/dashboard.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { readChart, readStats } from './dashboard.ts'
import { readPath } from './dashboard-path.ts'

export const dashboardRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.readDashboardStats, (call) => readStats({ ...call, now: deps.now() }))

  serveStore(app, deps, api.readDashboardPath, ({ store }) => readPath(store, deps.now()))

  serveStore(app, deps, api.readDashboardChart, async (call) => {
    const { query } = call
    const chart = await readChart({ ...call, now: deps.now() }, query.period)
    return {
      labels: chart.buckets.map(({ label }) => label),
      datasets:
        query.measure === 'revenue'
          ? [{ label: 'Recovered revenue', data: chart.revenue, ...styleLine('#3a7bd5') }]
          : [
              { label: 'Abandoned', data: chart.abandoned, ...styleLine('#12857a') },
              { label: 'Recovered', data: chart.recovered, ...styleLine('#3a7bd5') },
            ],
      starts: chart.buckets.map(({ from }) => from.toISOString()),
      timeZone: chart.timeZone,
      currency: chart.currency,
      otherCurrencies: chart.otherCurrencies,
    }
  })
}

/** Colours for API clients that draw the reply directly; our own screen uses the theme's. */
const styleLine = (color: string) => ({ borderColor: color, backgroundColor: color })
