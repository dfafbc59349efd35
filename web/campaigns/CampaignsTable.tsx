import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { CampaignView } from '../../shared/campaigns.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { formatCount } from '../ui/format.ts'
import { TimeAgo } from '../ui/Time.tsx'
import type { AddedColumn } from './columns.ts'
import { NextRun, Revenue, StatusMark, WhyNot } from './parts.tsx'
import { describeAudience, typeNames } from './rules.ts'
import { StoreTime } from './StoreTime.tsx'

interface Props {
  campaigns: CampaignView[]
  added: readonly { id: AddedColumn }[]
  actions: (campaign: CampaignView) => ReactNode
}

export function CampaignsTable({ campaigns, added, actions }: Props) {
  const shown = addedCells.filter(({ id }) => added.some((column) => column.id === id))
  return (
    <DataList
      label="Campaigns"
      minWidth={600 + 80 * shown.length}
      className="campaigns-rows"
      rows={campaigns}
      keyOf={({ id }) => id}
      columns={[...standard, ...shown, { id: 'action', label: 'Action', sort: null, isNumber: true, cell: actions }]}
      card={(campaign) => <CampaignCard campaign={campaign} actions={actions(campaign)} />}
    />
  )
}

/** B 2. */
const standard: readonly DataColumn<CampaignView>[] = [
  { id: 'campaign', label: 'Campaign', sort: null, cell: (campaign) => <Name campaign={campaign} /> },
  {
    ...{ id: 'status', label: 'Status', sort: null },
    cell: (campaign) => (
      <>
        <StatusMark status={campaign.status} />
        <WhyNot campaign={campaign} />
      </>
    ),
  },
  { id: 'created', label: 'Created', sort: null, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

const addedCells: readonly (DataColumn<CampaignView> & { id: AddedColumn })[] = [
  { id: 'audience', label: 'Audience', sort: null, cell: describeAudience },
  { id: 'sent', label: 'Sent', sort: null, isNumber: true, cell: ({ counts }) => formatCount(counts.sent) },
  { id: 'revenue', label: 'Revenue', sort: null, isNumber: true, cell: (campaign) => <Revenue {...campaign} /> },
  { id: 'next', label: 'Next run', sort: null, cell: (campaign) => <NextRun {...campaign} /> },
]

const Name = ({ campaign: { id, name, description, type } }: { campaign: CampaignView }) => (
  <div className="campaign-name">
    <Link className="plain-button" to={`/campaigns/${id}`}>
      {name}
    </Link>
    <Text fz="xs" c="dimmed" lineClamp={1}>
      {typeNames[type]}
      {description && ` · ${description}`}
    </Text>
  </div>
)

/** Card layout for screens too narrow for a table. */
function CampaignCard({ campaign, actions }: { campaign: CampaignView; actions: ReactNode }) {
  const { counts, nextRunAt, createdAt } = campaign
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
        <Name campaign={campaign} />
        <StatusMark status={campaign.status} />
      </Group>
      <WhyNot campaign={campaign} />
      <Text fz="sm" c="dimmed">
        Created <TimeAgo at={createdAt} /> · {describeAudience(campaign)}
      </Text>
      <Group gap="sm" justify="space-between" wrap="nowrap" mt={4}>
        <Text fz="sm" c="dimmed">
          {formatCount(counts.sent)} sent
          {nextRunAt && (
            <>
              {' · next '}
              <StoreTime at={nextRunAt} />
            </>
          )}
        </Text>
        {actions}
      </Group>
    </>
  )
}
