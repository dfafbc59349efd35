import { Button, Card, Group, NativeSelect, Text, Title } from '@mantine/core'
import { IconFileImport, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import {
  type SuppressionFilter,
  suppressionChannels,
  suppressionReasons,
  suppressionTexts,
} from '../../shared/suppressions.ts'
import { useHasPermission } from '../access/queries.ts'
import { getErrorText } from '../accounts/queries.ts'
import { BROKEN } from '../api.ts'
import { DownloadButton } from '../ui/Download.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { AddSuppression } from './AddSuppression.tsx'
import { ImportSuppressions } from './ImportSuppressions.tsx'
import { DoubtfulEntries, SuppressionEntries } from './SuppressionEntries.tsx'
import { useExportSuppressions } from './suppression-queries.ts'

/** Addresses that get no messages from any of the account's stores, with reasons (C1, C5). */
export function SuppressionList() {
  const [filter, setFilter] = useState<SuppressionFilter>({})
  const [open, setOpen] = useState<'add' | 'import' | null>(null)
  const mayAdd = useHasPermission('carts:write')
  const mayChange = useHasPermission('suppressions:write')
  const download = useExportSuppressions()
  const change = (next: SuppressionFilter) => setFilter(filled({ ...filter, ...next }))
  return (
    <Card padding={0}>
      <div className="suppressions-head">
        <Title order={2}>Suppression list</Title>
        <Text fz="sm" c="dimmed" mt={4}>
          These addresses and numbers get no messages from any of your stores. You can remove entries that you added.
          Unsubscribes and spam reports can only be undone by the person.
        </Text>
        <Group gap="sm" mt="md">
          {mayAdd && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('add')}>
              Add
            </Button>
          )}
          {mayChange && (
            <>
              <Button
                variant="default"
                leftSection={<IconFileImport size={16} aria-hidden />}
                onClick={() => setOpen('import')}
              >
                Import CSV
              </Button>
              <DownloadButton isBusy={download.isPending} onClick={() => download.mutate(filter)} />
            </>
          )}
        </Group>
        {download.error && (
          <div style={{ marginTop: 12 }}>
            <Notice tone="bad" isLive>
              {getErrorText(download.error, BROKEN)}
            </Notice>
          </div>
        )}
        <Filters filter={filter} onChange={change} />
      </div>
      <DoubtfulEntries mayChange={mayChange} />
      <SuppressionEntries filter={filter} mayChange={mayChange} onShowAll={() => setFilter({})} />
      <AddSuppression opened={open === 'add'} onClose={() => setOpen(null)} />
      <ImportSuppressions opened={open === 'import'} onClose={() => setOpen(null)} />
    </Card>
  )
}

const filled = (filter: SuppressionFilter) =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value)) as SuppressionFilter

function Filters({ filter, onChange }: { filter: SuppressionFilter; onChange: (next: SuppressionFilter) => void }) {
  return (
    <Group gap="sm" mt="md">
      <div style={{ flex: '2 1 220px' }}>
        <SearchBox
          label="Search an email or phone number"
          value={filter.search ?? ''}
          onSearch={(search) => onChange({ search })}
        />
      </div>
      <NativeSelect
        aria-label="Reason"
        style={{ flex: '1 1 150px' }}
        value={filter.reason ?? ''}
        onChange={(event) => onChange({ reason: event.currentTarget.value as SuppressionFilter['reason'] })}
        data={[
          { value: '', label: 'Any reason' },
          ...suppressionReasons.map((value) => ({ value, label: suppressionTexts.reasons[value] })),
        ]}
      />
      <NativeSelect
        aria-label="Channel"
        style={{ flex: '1 1 130px' }}
        value={filter.channel ?? ''}
        onChange={(event) => onChange({ channel: event.currentTarget.value as SuppressionFilter['channel'] })}
        data={[
          { value: '', label: 'Any channel' },
          ...suppressionChannels.map((value) => ({ value, label: suppressionTexts.channels[value] })),
        ]}
      />
    </Group>
  )
}
