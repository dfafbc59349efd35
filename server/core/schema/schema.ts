import type { AccountsSchema } from './accounts.ts'
import type { AnalyticsSchema } from './analytics.ts'
import type { BillingSchema } from './billing.ts'
import type { BrandSchema } from './brand.ts'
import type { CampaignsSchema } from './campaigns.ts'
import type { CartsSchema } from './carts.ts'
import type { ConsentSchema } from './consent.ts'
import type { CouponsSchema } from './coupons.ts'
import type { CreditsSchema } from './credits.ts'
import type { EmailSchema } from './email.ts'
import type { ExperimentsSchema } from './experiments.ts'
import type { FlowsSchema } from './flows.ts'
import type { MessagesSchema } from './messages.ts'
import type { NotificationsSchema } from './notifications.ts'
import type { OperatorSchema } from './operator.ts'
import type { PluginSchema } from './plugin.ts'
import type { PushSchema } from './push.ts'
import type { ServerSchema } from './server.ts'
import type { ShoppersSchema } from './shoppers.ts'
import type { StoresSchema } from './stores.ts'
import type { SyncSchema } from './sync.ts'
import type { TextChannelsSchema } from './text-channels.ts'

// The tables as Kysely types, one file per noun like `db/migrations`, which is the source. JSON columns are written as
// text and read parsed.

export interface Schema
  extends AccountsSchema,
    BillingSchema,
    CreditsSchema,
    OperatorSchema,
    PluginSchema,
    StoresSchema,
    SyncSchema,
    ShoppersSchema,
    BrandSchema,
    CartsSchema,
    CouponsSchema,
    FlowsSchema,
    ExperimentsSchema,
    CampaignsSchema,
    MessagesSchema,
    TextChannelsSchema,
    EmailSchema,
    ConsentSchema,
    PushSchema,
    AnalyticsSchema,
    NotificationsSchema,
    ServerSchema {}
