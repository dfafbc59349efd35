import * as api from '../../../shared/access/second-factor.ts'
import { type Routes, serveAccount } from '../http/public.ts'
import * as factor from './second-factor.ts'

// Routes of two-factor sign-in. Signing in (accounts) asks for the code itself.

export const secondFactorRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, api.readSecondFactor, ({ session }) => factor.viewSecondFactor(deps, session))

  serveAccount(app, deps, api.beginSecondFactor, ({ session, body }) =>
    factor.beginSecondFactor(deps, session, body.password),
  )

  serveAccount(app, deps, api.confirmSecondFactor, async ({ session, body }) => ({
    recoveryCodes: await factor.confirmSecondFactor(deps, session, body.code),
  }))

  serveAccount(app, deps, api.endSecondFactor, async ({ session, body }) => {
    await factor.endSecondFactor(deps, session, body)
    return { success: true as const }
  })

  serveAccount(app, deps, api.renewRecoveryCodes, async ({ session, body }) => ({
    recoveryCodes: await factor.renewRecoveryCodes(deps, session, body),
  }))
}
