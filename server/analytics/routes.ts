import * as api from '../../shared/dashboard.ts'
import { type Routes, serveStore } from '../http.ts'
import { readChart, readStats } from './dashboard.ts'

export const dashboardRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.readDashboardStats, ({ store }) => readStats(store, deps.now()))

  serveStore(app, deps, api.readDashboardChart, async ({ store, query }) => {
    const { buckets, timeZone } = await readChart(store, query.period, deps.now())
    return {
      labels: buckets.map(({ label }) => label),
      datasets: [
        { label: 'Abandoned', data: buckets.map(({ abandoned }) => abandoned), ...lineOf('#12857a') },
        { label: 'Recovered', data: buckets.map(({ recovered }) => recovered), ...lineOf('#3a7bd5') },
      ],
      starts: buckets.map(({ from }) => from.toISOString()),
      timeZone,
    }
  })
}

/** For whoever draws the answer as it comes; our own screen takes the theme's colours. */
const lineOf = (color: string) => ({ borderColor: color, backgroundColor: color })
