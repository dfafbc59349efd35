import { ActionIcon, Group, Tooltip } from '@mantine/core'
import {
  type Icon,
  IconBan,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { type CampaignAction, explainNoEffect, type RowAction, rowActions } from './rules.ts'

const buttons: Record<RowAction, { label: string; icon: Icon }> = {
  edit: { label: 'Edit', icon: IconPencil },
  play: { label: 'Play', icon: IconPlayerPlay },
  pause: { label: 'Pause', icon: IconPlayerPause },
  send_now: { label: 'Send Now', icon: IconSend },
  cancel: { label: 'Cancel', icon: IconBan },
  delete: { label: 'Delete', icon: IconTrash },
  send: { label: 'Send', icon: IconSend },
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
        const { label: text, icon: Sign } = buttons[action]
        const label = action === 'edit' && !mayWrite ? 'View' : text
        const name = `${label} ${campaign.name}`
        const refused = explainNoEffect(action, campaign)
        return (
          <Tooltip key={action} label={refused ?? label}>
            {refused ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${name}: ${refused}`}
                aria-disabled
                data-disabled
                onClick={(event) => event.preventDefault()}
              >
                <Sign size={17} aria-hidden />
              </ActionIcon>
            ) : action === 'edit' ? (
              <ActionIcon
                variant="subtle"
                color="gray"
                component={Link}
                to={`/campaigns/${campaign.id}?tab=details`}
                aria-label={name}
              >
                <Sign size={17} aria-hidden />
              </ActionIcon>
            ) : (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={name}
                disabled={isBusy}
                onClick={() => onAction(action, campaign)}
              >
                <Sign size={17} aria-hidden />
              </ActionIcon>
            )}
          </Tooltip>
        )
      })}
    </Group>
  )
}
