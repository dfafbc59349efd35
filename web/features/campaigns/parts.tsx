import {
  type Icon,
  IconBan,
  IconCalendarEvent,
  IconCircleCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
} from '@tabler/icons-react'
import type { CampaignStatus, CampaignView } from '../../../shared/marketing/campaigns.ts'
import { Money } from '../../core/ui/Money.tsx'
import type { Tone } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'

// Campaign parts shared by list, dialog and page.

export const badges: Record<CampaignStatus, { tone: Tone; icon: Icon; label: string }> = {
  scheduled: { tone: 'info', icon: IconCalendarEvent, label: 'Scheduled' },
  active: { tone: 'good', icon: IconPlayerPlay, label: 'Active' },
  paused: { tone: 'warn', icon: IconPlayerPause, label: 'Paused' },
  completed: { tone: 'quiet', icon: IconCircleCheck, label: 'Completed' },
  sent: { tone: 'good', icon: IconSend, label: 'Sent' },
  cancelled: { tone: 'quiet', icon: IconBan, label: 'Cancelled' },
}

export const StatusMark = ({ status }: { status: CampaignStatus }) => <StatusBadge {...badges[status]} />

/** Currencies are listed separately. */
export const Revenue = ({ revenue }: Pick<CampaignView, 'revenue'>) =>
  revenue.length === 0
    ? '–'
    : revenue.map(({ amount, currency }) => (
        <div key={currency}>
          <Money amount={amount} currency={currency} />
        </div>
      ))
