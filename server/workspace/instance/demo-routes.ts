import * as api from '../../../shared/workspace/instance.ts'
import { type Routes, serveAccount } from '../../access/http/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type Limit, takePoint } from '../../core/db/public.ts'

/** Each reset uses the machine for some seconds. */
const RESETS: Limit = { name: 'demo-reset', points: 3, windowS: 600 }

// Progress of the demo's sample data, and its reset: for the demo account only.

export const demoRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readDemoPast, async ({ session }) =>
    session.isDemo && deps.demo ? deps.demo.past(deps) : { isBeingWritten: false, percent: null },
  )

  serveAccount(app, deps, api.resetDemo, async ({ session }) => {
    if (!session.isDemo) throw new AppError('forbidden', 'Only the demo account can be reset.')
    const demo = requireFound(deps.demo, 'Demo')
    await takePoint(deps, RESETS, session.accountId)
    await demo.rebuild(deps)
    return { success: true as const, message: 'The demo has been reset.' }
  })
}
