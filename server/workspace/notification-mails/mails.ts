import type { z } from 'zod'
import type { mailNotifications } from '../../access/notifications/jobs.ts'
import { readRowsToMail } from '../../access/notifications/mails.ts'
import type { Deps } from '../../deps.ts'
import { mailMember } from '../accounts/mails.ts'
import { notificationMail } from './mail-copy.ts'

/** Sends nothing if there is nothing to report. */
export async function sendNotificationMail(
  deps: Deps,
  payload: z.infer<typeof mailNotifications.payload>,
): Promise<void> {
  const news = await readRowsToMail(deps, payload)
  if (news.rows.length === 0) return
  const { kind, userId } = payload
  const { publicUrl } = deps.config
  await mailMember(deps, userId, (name) => notificationMail(news, { name, kind, publicUrl }))
}
