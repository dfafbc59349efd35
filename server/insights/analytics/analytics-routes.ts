import * as api from '../../../shared/insights/analytics.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { readAnalytics } from './analytics.ts'
import { readDetails, readProducts } from './details.ts'
import { readRoi } from './roi.ts'
import { readRateTrend, readRevenueTrend } from './trends.ts'

export const analyticsRoutes: Routes = (app, deps) => {
  const buildQuery = <C extends { query: { range: api.AnalyticsRange } }>(call: C) => ({
    ...call,
    range: call.query.range,
    now: deps.now(),
  })
  const trend = <C extends { query: { period: api.AnalyticsRange; buckets: 'days' | 'auto' } }>(call: C) => ({
    ...call,
    range: call.query.period,
    buckets: call.query.buckets,
    now: deps.now(),
  })
  serveStore(app, deps, api.readAnalytics, (call) => readAnalytics(buildQuery(call)))
  serveStore(app, deps, api.readAnalyticsDetails, (call) => readDetails(buildQuery(call)))
  serveStore(app, deps, api.listAnalyticsProducts, (call) => readProducts(buildQuery(call)))
  serveStore(app, deps, api.readRoi, (call) => readRoi(buildQuery(call)))
  serveStore(app, deps, api.readRecoveryRateTrend, (call) => readRateTrend(trend(call)))
  serveStore(app, deps, api.readRevenueTrend, (call) => readRevenueTrend(trend(call)))
}
