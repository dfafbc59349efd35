import * as api from '../../../shared/workspace/operator.ts'
import { type Routes, serveAccount } from '../../access/http/public.ts'
import { describeDevice } from '../../access/members/public.ts'
import * as commands from './actions.ts'
import * as overview from './overview.ts'

// Operator endpoints. `http.ts` admits only operators.

const done = { success: true as const }

export const operatorRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.listOperatorAccounts, ({ query }) => overview.listAccounts(deps, query))

  serveAccount(app, deps, api.createOperatorAccount, ({ session, body }) => {
    const { planKey: plan, ...input } = body
    return commands.createAccount(deps, { session, plan, ...input })
  })

  serveAccount(app, deps, api.readOperatorAccount, ({ params }) => overview.readAccount(deps, params.accountId))

  serveAccount(app, deps, api.readOperatorHealth, () => overview.readHealth(deps))

  serveAccount(app, deps, api.listOperatorActions, ({ query }) => overview.listActions(deps, query))

  serveAccount(app, deps, api.setOperatorPlan, async ({ session, params, body }) => {
    const { planKey: plan, isUnlimited, note } = body
    await commands.setPlan(deps, { session, ...params, plan, isUnlimited, note })
    return done
  })

  serveAccount(app, deps, api.adjustCredits, async ({ session, params, body }) => {
    await commands.changeCredits(deps, { session, ...params, ...body })
    return done
  })

  serveAccount(app, deps, api.suspendAccount, async ({ session, params, body }) => {
    await commands.suspend(deps, { session, ...params, ...body })
    return done
  })

  serveAccount(app, deps, api.resumeAccount, async ({ session, params, body }) => {
    await commands.resume(deps, { session, ...params, ...body })
    return done
  })

  serveAccount(app, deps, api.viewAccount, async ({ session, params, body, request }) => {
    const device = describeDevice(request.headers['user-agent'])
    const { token, until } = await commands.view(deps, { session, ...params, ...body, device })
    return { token, until: until.toISOString() }
  })

  serveAccount(app, deps, api.resolveOperatorProblem, async ({ session, params, body }) => {
    await commands.resolve(deps, { session, ...params, ...body })
    return done
  })
}
