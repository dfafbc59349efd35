import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** Enqueued for an unknown address too, with a random id: both answers take the same time. */
export const mailReset = job('accounts.mail-reset', z.object({ userId: z.uuid() }))
export const mailRegistration = job('accounts.mail-registration', z.object({ userId: z.uuid() }))

export const mailInvitation = job('accounts.mail-invitation', z.object({ accountId: z.uuid(), invitationId: z.uuid() }))
export const mailOwnerInvitation = job('accounts.mail-owner-invitation', z.object({ userId: z.uuid() }))
export const mailEmailChange = job('accounts.mail-email-change', z.object({ userId: z.uuid() }))
/** To the user's previous address. */
export const mailEmailUndo = job('accounts.mail-email-undo', z.object({ undoId: z.uuid() }))
export const removeAccount = job('accounts.remove', z.object({ accountId: z.uuid() }), 'one')
