import type { FastifyRequest } from 'fastify'
import * as own from '../../shared/account.ts'
import * as api from '../../shared/auth.ts'
import { type Routes, serveAccount, servePublic } from '../http.ts'
import { type Origin, register, signIn, signInToDemo, signOut, viewUser } from './accounts.ts'
import { deviceWords } from './device.ts'
import { requestReset, resetPassword } from './password-reset.ts'
import * as profile from './profile.ts'

// Accounts: HTTP in, HTTP out. The team has routes of its own.

export const originOf = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  device: deviceWords(request.headers['user-agent']),
})

export const accountRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.register, ({ body, request }) => register(deps, { ...body, ...originOf(request) }))

  servePublic(app, deps, api.login, ({ body, request }) => signIn(deps, { ...body, ...originOf(request) }))

  servePublic(app, deps, api.demoLogin, ({ request }) => signInToDemo(deps, originOf(request)))

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

  serveAccount(app, deps, api.me, async ({ account, session }) => ({
    user: await viewUser(account, session.userId, deps.now()),
  }))
}

/** What a user changes about themselves. */
export const profileRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, own.saveProfile, async ({ session, body }) => {
    await profile.saveName(deps.db, session, body.name)
    return { success: true as const }
  })

  serveAccount(app, deps, own.changeEmail, async ({ session, body }) => {
    await profile.requestEmailChange(deps, session, body)
    return { message: api.authTexts.emailLinkSent }
  })

  serveAccount(app, deps, own.cancelEmailChange, async ({ session }) => {
    await profile.cancelEmailChange(deps.db, session)
    return { success: true as const }
  })

  servePublic(app, deps, own.confirmEmail, async ({ body, request }) => {
    await profile.confirmEmail(deps, { token: body.token, ip: request.ip })
    return { message: 'This is your address now. You sign in with it from here on.' }
  })

  serveAccount(app, deps, own.changePassword, async ({ session, body }) => {
    const ended = await profile.changePassword(deps, session, body)
    const others = ended === 1 ? 'One other session was' : `${ended} other sessions were`
    return { message: `Your password is changed.${ended > 0 ? ` ${others} signed out.` : ''}` }
  })

  serveAccount(app, deps, own.listSessions, async ({ session }) => ({
    sessions: await profile.listSessions(deps, session),
  }))

  serveAccount(app, deps, own.endSession, async ({ session, params }) => {
    await profile.endSession(deps.db, session, params.sessionId)
    return { success: true as const }
  })

  serveAccount(app, deps, own.endSessions, async ({ session, body }) => ({
    success: true as const,
    ended: await profile.endSessions(deps.db, session, body.scope),
  }))
}
