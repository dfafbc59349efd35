// What other rooms use: users, sessions, roles.

export { describeDevice } from './device.ts'
export { mailNotice, mailVerification } from './jobs.ts'
export { limits } from './limits.ts'
export { assertPlainName } from './names.ts'
export { assertOperator, isOperator, mayStillView, readOperatorStatus } from './operators.ts'
export { assertPassword, hashPassword, isRightPassword } from './passwords.ts'
export {
  addMs,
  computeLockoutS,
  customTextLimit,
  EMAIL_CHANGE_MS,
  EMAIL_UNDO_MS,
  INVITATION_MS,
  INVITATION_RETENTION_MS,
  REMOVAL_MS,
  RESET_MS,
  readSender,
} from './rules.ts'
export { authenticate, refuseDemo, type Session, setSessionStore, startSession, startView } from './session.ts'
export { findMember, findUserByEmail, findUserById, findViewer, listOwners, lockUser } from './users-sql.ts'
export {
  assertMayMail,
  assertVerified,
  createVerificationToken,
  needsConfirmedAddress,
  resendVerification,
  takeOwnText,
  verifyEmail,
} from './verification.ts'
export { confirmAddress } from './verification-sql.ts'
