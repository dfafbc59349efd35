import { Button, Group, Tooltip } from '@mantine/core'
import { Link } from 'react-router'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { type CampaignAction, explainNoEffect, type RowAction, rowActions } from './rules.ts'

const labels: Record<RowAction, string> = {
  edit: 'Edit',
  play: 'Play',
  pause: 'Pause',
  send_now: 'Send Now',
  cancel: 'Cancel',
  delete: 'Delete',
  send: 'Send',
}

interface Props {
  campaign: CampaignView
  mayWrite: boolean
  isBusy: boolean
  /** Already on the campaign's page: no link to it. */
  isOnItsPage?: boolean
  onAction: (action: CampaignAction, campaign: CampaignView) => void
}

/** B 4: actions a campaign's status allows. */
export function RowActions({ campaign, mayWrite, isBusy, isOnItsPage = false, onAction }: Props) {
  const offered = rowActions[campaign.status].filter((action) => (action === 'edit' ? !isOnItsPage : mayWrite))
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end">
      {offered.map((action) => {
        const label = action === 'edit' && !mayWrite ? 'View' : labels[action]
        const name = `${label} ${campaign.name}`
        const refused = explainNoEffect(action, campaign)
        const look = { size: 'compact-xs', variant: 'subtle', color: action === 'delete' ? 'red' : 'gray' } as const
        if (refused) {
          return (
            <Tooltip key={action} label={refused}>
              <Button
                {...look}
                aria-label={`${name}: ${refused}`}
                aria-disabled
                data-disabled
                onClick={(event) => event.preventDefault()}
              >
                {label}
              </Button>
            </Tooltip>
          )
        }
        if (action === 'edit') {
          const to = `/campaigns/${campaign.id}?tab=details`
          return (
            <Button key={action} {...look} component={Link} to={to} aria-label={name}>
              {label}
            </Button>
          )
        }
        return (
          <Button key={action} {...look} aria-label={name} disabled={isBusy} onClick={() => onAction(action, campaign)}>
            {label}
          </Button>
        )
      })}
    </Group>
  )
}
