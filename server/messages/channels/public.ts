// What other rooms use: interface and send authorization.

export {
  type BounceKind,
  chooseStatus,
  classifyBounce,
  isAddressBlameless,
  joinLines,
  parseStatus,
  removeAddresses,
} from './bounce-rules.ts'
export type {
  ChannelName,
  Cost,
  DeliveryReport,
  EmailChannel,
  InboundText,
  Outcome,
  OutgoingEmail,
  OutgoingPush,
  OutgoingText,
  PushAnswer,
  PushChannel,
  TextChannel,
  TextChannelName,
} from './channel.ts'
export { describeInbound } from './inbound-check.ts'
export {
  type AccountMailRoute,
  chooseAccountMailRoute,
  chooseMailRoute,
  createNoMailChannel,
  NO_MAIL_SERVER,
} from './mail-route.ts'
export { listChannelsOfAddress, maskAddress } from './mask.ts'
export { buildNotSentOutcome } from './not-sent.ts'
export { listNumberAliases } from './number-aliases.ts'
export { findPhoneCountry, findTextCountry, isGermanSpeaking, isSatelliteOrPremium } from './phone.ts'
export {
  type Authorized,
  authorizeAccountMail,
  authorizeAnswer,
  authorizeByDecision,
  authorizeOptInRequest,
  authorizeTest,
  type SendAuthorization,
} from './send-authorization.ts'
export { chooseSender, estimateText, type Sender } from './senders.ts'
export { mapFailure, type SmtpFailure, type SmtpStage } from './smtp-outcome.ts'
export { countPlaceholders, findTemplateProblem, type ProviderTemplate, parseButtonPrefix } from './templates.ts'
export { channelTraits, isTextChannelName } from './traits.ts'
