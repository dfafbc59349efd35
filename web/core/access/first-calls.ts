import { me } from '../../../shared/access/auth.ts'
import { checkConnection, storeHealth } from '../../../shared/access/stores.ts'
import { subscriptionStatus } from '../../../shared/billing/billing.ts'
import { listAbandonedCarts } from '../../../shared/carts/carts.ts'
import { readExperiments } from '../../../shared/carts/experiments.ts'
import type { Endpoint } from '../../../shared/core/endpoint.ts'
import { readSendingPause } from '../../../shared/delivery/sending.ts'
import { DEFAULT_RANGE, readAnalytics } from '../../../shared/insights/analytics.ts'
import { readDashboardChart, readDashboardPath, readDashboardStats } from '../../../shared/insights/dashboard.ts'
import { listCampaigns } from '../../../shared/marketing/campaigns.ts'
import { listFlows } from '../../../shared/marketing/flows.ts'
import type { ScreenLoader } from '../../../shared/screens.ts'
import { readInstance } from '../../../shared/workspace/instance.ts'
import { countUnreadNotifications } from '../../../shared/workspace/notification-calls.ts'
import type { FirstCall } from './early.ts'

// The calls that a screen opens with. Read when the app is built: `ahead.js` starts them before the app is loaded.
// A call that its screen does not make, or makes with other fields, is only wasted: the screen asks again.

const get = ({ path, scope }: Endpoint, query: FirstCall['query'] = {}): FirstCall => ({ path, scope, query })

/** For every signed-in user. */
export const accountCalls: FirstCall[] = [get(me), get(subscriptionStatus), get(readInstance)]

export const connectionCall = get(checkConnection)

/** Around every screen of a store. */
export const shellCalls: FirstCall[] = [get(readSendingPause), get(storeHealth), get(countUnreadNotifications)]

export const screenCalls: Partial<Record<ScreenLoader, FirstCall[]>> = {
  DashboardPage: [
    get(readDashboardStats),
    get(listAbandonedCarts, { limit: 4 }),
    get(readDashboardChart, { period: 'month', measure: 'revenue' }),
    get(readDashboardChart, { period: 'week', measure: 'carts' }),
    get(readDashboardPath),
    get(listCampaigns, { page: 1, limit: 10 }),
  ],
  FlowsPage: [get(listFlows), get(readExperiments)],
  AnalyticsPage: [{ ...get(readAnalytics, { range: DEFAULT_RANGE }), fromAddress: 'range' }],
}
