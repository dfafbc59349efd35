import { Card, Group, NativeSelect, Text, Title } from '@mantine/core'
import { IconUserOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { type CampaignRecipient, type RecipientState, recipientStates } from '../../shared/campaign-report.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { countParts } from '../flows/rules.ts'
import { DataList } from '../ui/DataList.tsx'
import type { DataColumn } from '../ui/DataTable.tsx'
import { DownloadButton } from '../ui/Download.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingRows } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageButtons } from '../ui/Pager.tsx'
import { type RecipientQuery, useExportRecipients, useRecipients } from './report-queries.ts'
import { StoreTime } from './StoreTime.tsx'

const stateName = (state: RecipientState) => countParts.find(({ key }) => key === state)?.label ?? state

/** Every recipient with the state of the message and its reason. */
export function Recipients({ campaignId, runs }: { campaignId: string; runs: number }) {
  const [query, setQuery] = useState<RecipientQuery>({ page: 1, state: null, run: null })
  const recipients = useRecipients(campaignId, query)
  const change = (next: Partial<RecipientQuery>) => setQuery({ ...query, page: 1, ...next })
  return (
    <Card padding={0}>
      <Group p="lg" pb="sm" gap="sm" justify="space-between">
        <Title order={2}>Recipients</Title>
        <Group gap="sm">
          <NativeSelect
            aria-label="State"
            data={[
              { value: '', label: 'All states' },
              ...recipientStates.map((value) => ({ value, label: stateName(value) })),
            ]}
            value={query.state ?? ''}
            onChange={(event) =>
              change({ state: recipientStates.find((s) => s === event.currentTarget.value) ?? null })
            }
          />
          {runs > 1 && (
            <NativeSelect
              aria-label="Run"
              data={[
                { value: '', label: 'All runs' },
                ...Array.from({ length: runs }, (_, index) => ({
                  value: `${runs - index}`,
                  label: `Run ${runs - index}`,
                })),
              ]}
              value={String(query.run ?? '')}
              onChange={(event) => change({ run: Number(event.currentTarget.value) || null })}
            />
          )}
          <Export campaignId={campaignId} query={query} />
        </Group>
      </Group>
      <Loaded
        query={recipients}
        loading={<LoadingRows count={5} />}
        failed="The recipients could not be loaded"
        className="padded"
      >
        {({ recipients: rows, pagination }) => (
          <div aria-busy={recipients.isPlaceholderData}>
            {rows.length === 0 ? (
              <Empty
                icon={IconUserOff}
                text={query.state || query.run ? 'No recipient in this state.' : 'No recipients yet.'}
              />
            ) : (
              <DataList
                label="Recipients"
                minWidth={720}
                rows={rows}
                keyOf={({ messageId }) => messageId}
                columns={columns}
              />
            )}
            {pagination.pages > 1 && (
              <div className="list-foot">
                <PageButtons
                  {...pagination}
                  requestedPage={query.page}
                  onPage={(page) => setQuery({ ...query, page })}
                />
              </div>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const columns: readonly DataColumn<CampaignRecipient>[] = [
  {
    ...{ id: 'customer', label: 'Customer', sort: null },
    cell: ({ customer, shopperId, cartId }) => (
      <Link className="plain-button" to={cartId ? `/carts/${cartId}` : `/customers/${shopperId}`}>
        {customer}
      </Link>
    ),
  },
  { id: 'to', label: 'To', sort: null, shrinks: ({ to }) => to, cell: ({ to }) => to ?? '–' },
  { id: 'state', label: 'State', sort: null, cell: ({ state }) => stateName(state) },
  {
    ...{ id: 'why', label: 'Why', sort: null },
    cell: ({ explanation }) => (
      <Text fz="sm" c="dimmed">
        {explanation}
      </Text>
    ),
  },
  {
    ...{ id: 'at', label: 'Sent or due', sort: null },
    cell: ({ sentAt, heldUntil, dueAt }) => (
      <>
        {heldUntil && 'Held until '}
        <StoreTime at={sentAt ?? heldUntil ?? dueAt} />
      </>
    ),
  },
]

function Export({ campaignId, query }: { campaignId: string; query: RecipientQuery }) {
  const mayExport = useHasPermission('account:export')
  const download = useExportRecipients(campaignId)
  if (!mayExport) return null
  return (
    <>
      <DownloadButton isBusy={download.isPending} onClick={() => download.mutate(query)} />
      {download.error && (
        <Notice tone="bad" isLive>
          {getErrorText(download.error, BROKEN)}
        </Notice>
      )}
    </>
  )
}
