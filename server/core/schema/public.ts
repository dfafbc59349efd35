// What other rooms use: tables as types.

export type { SubscriptionsTable } from './accounts.ts'
export { type FigureSubject, figureSubjects } from './analytics.ts'
export type { CheckoutSessionsTable } from './billing.ts'
export type { BrandProposalsTable } from './brand.ts'
export type { CampaignsTable, StoredFilters } from './campaigns.ts'
export type { CaptureChoicesTable, ConsentOverridesTable, ConsentRule } from './consent.ts'
export type { CouponsTable, CouponTerms } from './coupons.ts'
export type { MailServersTable } from './email.ts'
export type { ExperimentsTable } from './experiments.ts'
export type {
  CheckoutRef,
  Contact,
  ContactLimit,
  DeviceClass,
  Episode,
  FactPayload,
  Fold,
  FoldItem,
  OrderKind,
  OtherCart,
  ReceivedPost,
  SignedCart,
  UnconfirmedContacts,
} from './facts.ts'
export type { LinkTokensTable, MessageState } from './messages.ts'
export type { OperatorActionsTable } from './operator.ts'
export type { PluginConnectionsTable } from './plugin.ts'
export type { PushSubscriptionsTable } from './push.ts'
export type { Schema } from './schema.ts'
export type { CaptureInboxTable } from './shoppers.ts'
export type { StoresTable } from './stores.ts'
export type { SyncStateTable } from './sync.ts'
export type { ChannelCredentialsTable, TextTemplate } from './text-channels.ts'
