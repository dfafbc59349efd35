import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { useMe } from '../../core/access/queries.ts'
import { useMailServer } from './mail-server-queries.ts'

/** `ConfirmFirst` of a form that sends messages, which an account with its own mail server may do without. */
export function ConfirmToSend({ what }: { what: string }) {
  const isUnconfirmed = useMe()?.isEmailConfirmed === false
  const mail = useMailServer(isUnconfirmed)
  return mail.data ? <ConfirmFirst what={what} isFree={mail.data.way === 'own'} /> : null
}
