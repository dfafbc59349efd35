// What other rooms use: (SMS, WhatsApp), `push/` the channels.

export { buildKeyRecord, buildKeyRecordName } from './dkim.ts'
export { getDomain, openMailHeaders } from './mail-headers.ts'
export {
  type MailServerRow,
  noteFailure,
  noteSuccess,
  type Proof,
  readMailServer,
  readProofs,
  saveProof,
} from './mail-server-sql.ts'
export { explainServerFailure } from './mail-server-text.ts'
export {
  buildProofSubject,
  getSenderAddress,
  loadAccountMailRoute,
  removeServer,
  saveServer,
  viewMailServer,
} from './mail-servers.ts'
export {
  buildOwnFrom,
  buildSmtpSettings,
  type OwnMail,
  type OwnMails,
  openOwnMailHeaders,
  openOwnMails,
} from './own-mail.ts'
export { parseReturnPath } from './return-path.ts'
export { checkSenderKeys, ensureSenderKey, findPublishedKey, type OwnKeyFinding } from './sender-keys.ts'
export { createSmtpChannel } from './smtp.ts'
export { buildRawError, openConnection, quit, SmtpError, toSmtpFailure } from './smtp-connections.ts'
export { composeMessage, findSendProblem, type MailHeaders } from './smtp-message.ts'
export { readSmtpUrl, type SmtpSettings } from './smtp-settings.ts'
