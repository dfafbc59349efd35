import type { FastifyReply, FastifyRequest } from 'fastify'
import * as api from '../../../shared/access/auth.ts'
import * as own from '../../../shared/workspace/account.ts'
import { type Routes, serveAccount, servePublic } from '../../access/http/public.ts'
import { describeDevice, resendVerification, verifyEmail } from '../../access/members/public.ts'
import type { Deps } from '../../deps.ts'
import { type Origin, register, type SignedIn, signIn, signInToDemo, signOut, viewUser } from './accounts.ts'
import { undoEmailChange } from './email-undo.ts'
import { requestReset, resetPassword } from './password-reset.ts'
import * as profile from './profile.ts'

// Account endpoints. Those of the team are separate.

export const getOrigin = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  device: describeDevice(request.headers['user-agent']),
  cookies: request.cookies,
})

const DEVICE_S = 180 * 86_400

/** Marks this browser as known, so that guesses from elsewhere do not lock it. */
export function rememberDevice<S extends SignedIn>(deps: Pick<Deps, 'config'>, reply: FastifyReply, signedIn: S): S {
  const { cookie } = signedIn
  if (!cookie) return signedIn
  const secure = deps.config.publicUrl.startsWith('https:')
  reply.setCookie(cookie.name, cookie.value, {
    httpOnly: true,
    sameSite: 'strict',
    path: '/api',
    maxAge: DEVICE_S,
    secure,
  })
  return signedIn
}

export const accountRoutes: Routes = (app, deps) => {
  servePublic(app, deps, api.register, async ({ body, request, reply }) =>
    rememberDevice(deps, reply, await register(deps, { ...body, ...getOrigin(request) })),
  )

  servePublic(app, deps, api.login, async ({ body, request, reply }) =>
    rememberDevice(deps, reply, await signIn(deps, { ...body, ...getOrigin(request) })),
  )

  servePublic(app, deps, api.demoLogin, ({ request }) => signInToDemo(deps, getOrigin(request)))

  serveAccount(app, deps, api.logout, async ({ account, session }) => {
    await signOut(account, session)
    return { success: true as const }
  })

  servePublic(app, deps, api.forgotPassword, async ({ body, request }) => {
    return { message: await requestReset(deps, { email: body.email, ip: request.ip }) }
  })

  servePublic(app, deps, api.resetPassword, async ({ body, request }) => {
    await resetPassword(deps, { ...body, ip: request.ip })
    return { message: api.authTexts.resetDone }
  })

  serveAccount(app, deps, api.me, async ({ account, session }) => ({
    user: await viewUser(deps, account, session),
  }))
}

/** Changes that users make to themselves. */
export const profileRoutes: Routes = (app, deps) => {
  serveAccount(app, deps, own.saveProfile, async ({ session, body }) => {
    await profile.saveName(deps.db, session, body.name)
    return { success: true as const }
  })

  serveAccount(app, deps, own.changeEmail, async ({ session, body }) => {
    const message = await profile.requestEmailChange(deps, session, body)
    return { message }
  })

  serveAccount(app, deps, own.cancelEmailChange, async ({ session }) => {
    await profile.cancelEmailChange(deps.db, session)
    return { success: true as const }
  })

  servePublic(app, deps, own.confirmEmail, async ({ body, request, session }) => {
    await profile.confirmEmail(deps, { token: body.token, ip: request.ip }, session)
    return { message: 'Your email address is changed. Use it to sign in from now on.' }
  })

  servePublic(app, deps, own.verifyEmail, async ({ body, request }) => {
    await verifyEmail(deps, { token: body.token, ip: request.ip })
    return { message: 'Your email address is confirmed.' }
  })

  serveAccount(app, deps, own.resendVerification, async ({ session }) => ({
    message: await resendVerification(deps, session),
  }))

  servePublic(app, deps, own.undoEmail, async ({ body, request }) => {
    const email = await undoEmailChange(deps, { ...body, ip: request.ip })
    return { message: `The change is undone. Sign in with ${email} and your new password.` }
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
