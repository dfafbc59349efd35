import * as api from '../../shared/auth.ts'
import { type Routes, serveAccount, servePublic } from '../http.ts'
import { register, signIn, signInToDemo, signOut, viewUser } from './accounts.ts'
import { requestReset, resetPassword } from './password-reset.ts'

// Accounts: HTTP in, HTTP out.

export const accountRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.register, ({ body, request }) => register(deps, { ...body, ip: request.ip }))

  servePublic(app, deps, api.login, ({ body, request }) => signIn(deps, { ...body, ip: request.ip }))

  servePublic(app, deps, api.demoLogin, ({ request }) => signInToDemo(deps, request.ip))

  serveAccount(app, deps, api.logout, async ({ account, session }) => {
    await signOut(account, session)
    return { success: true as const }
  })

  servePublic(app, deps, api.forgotPassword, async ({ body, request }) => {
    await requestReset(deps, { email: body.email, ip: request.ip })
    return { message: api.authTexts.resetSent }
  })

  servePublic(app, deps, api.resetPassword, async ({ body, request }) => {
    await resetPassword(deps, { ...body, ip: request.ip })
    return { message: api.authTexts.resetDone }
  })

  serveAccount(app, deps, api.me, async ({ account, session }) => ({ user: await viewUser(account, session.userId) }))
}
