import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  cancelConsents,
  confirmConsents,
  type DateOrder,
  type ImportMapping,
  type ImportPreview,
  importChannels,
  importStatuses,
  MIN_LEGAL_GROUND_LENGTH,
  previewConsents,
} from '../../../shared/marketing/ledger.ts'
import { useDraft } from '../../core/access/drafts.ts'
import { call } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { formatCount } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import type { Uploaded } from './LedgerImport.tsx'
import { channelText, describeOutcome, findMappingGap, needsRowMeaning, rowStatusText } from './ledger-text.ts'

const PREVIEW_WAIT_MS = 400

/** Column mapping, a preview of the first rows, and the legal ground of the import. */
export function LedgerMapping({ uploaded, onDone }: { uploaded: Uploaded; onDone: () => void }) {
  const { import: file, columns } = uploaded
  const [mapping, setMapping] = useState(uploaded.preview.mapping)
  const [settled] = useDebouncedValue(mapping, PREVIEW_WAIT_MS)
  const preview = usePreview(file.id, settled)
  const cancel = useCancelImport()
  const current = preview.data ?? uploaded.preview
  // Import only what the preview showed.
  const isCurrent = settled === mapping && !preview.isFetching && !preview.error
  const discard = () => {
    cancel.mutate(file.id)
    onDone()
  }
  return (
    <Stack gap="md">
      <Text>
        <strong>{file.fileName}</strong>: {formatCount(file.rowCount)} rows
      </Text>
      <Title order={3}>1. Match the columns</Title>
      <Columns columns={columns} mapping={mapping} preview={current} onChange={setMapping} />
      <Title order={3}>2. Check the rows</Title>
      {preview.error && (
        <Notice tone="bad" title="The rows could not be read" isLive>
          {preview.error.message}
        </Notice>
      )}
      <Rows preview={current} isStale={preview.isFetching} />
      <Findings preview={current} />
      <Title order={3}>3. Import</Title>
      <Ground
        importId={file.id}
        mapping={mapping}
        preview={current}
        isCurrent={isCurrent}
        onDone={onDone}
        onCancel={discard}
      />
    </Stack>
  )
}

interface ColumnsProps {
  columns: readonly string[]
  mapping: ImportMapping
  preview: ImportPreview
  onChange: (mapping: ImportMapping) => void
}

const dateOrders: { value: DateOrder; label: string }[] = [
  { value: 'iso', label: 'Year first: 2024-05-31' },
  { value: 'dmy', label: 'Day first: 31.05.2024' },
  { value: 'mdy', label: 'Month first: 05/31/2024' },
]

function Columns({ columns, mapping, preview, onChange }: ColumnsProps) {
  const set = (changed: Partial<ImportMapping>) => onChange({ ...mapping, ...changed })
  const choice = (name: 'channel' | 'status' | 'date' | 'source' | 'wording', label: string, none: string) => (
    <NativeSelect
      label={label}
      value={mapping[name] ?? ''}
      onChange={({ currentTarget: { value } }) => set({ [name]: value === '' ? null : Number(value) })}
      data={[{ value: '', label: none }, ...columns.map((text, index) => ({ value: String(index), label: text }))]}
    />
  )
  return (
    <div className="import-fields">
      <NativeSelect
        label="Email address or phone number"
        value={String(mapping.address)}
        onChange={({ currentTarget: { value } }) => set({ address: Number(value) })}
        data={columns.map((text, index) => ({ value: String(index), label: text }))}
      />
      {choice('date', 'Opt-in date', 'Choose a column')}
      <NativeSelect
        label="Date format"
        value={mapping.dateOrder}
        onChange={({ currentTarget: { value } }) => set({ dateOrder: value as DateOrder })}
        data={dateOrders}
      />
      {choice('source', 'Source', 'Same for all rows')}
      {mapping.source === null && (
        <TextInput
          label="Source for all rows"
          placeholder="Newsletter form on our website"
          maxLength={300}
          value={mapping.sourceForAll}
          onChange={({ currentTarget: { value } }) => set({ sourceForAll: value })}
        />
      )}
      {choice('channel', 'Channel', 'Same for all rows')}
      {mapping.channel === null && (
        <NativeSelect
          label="Channel of all rows"
          value={mapping.channelForAll}
          onChange={({ currentTarget: { value } }) =>
            set({ channelForAll: importChannels.find((each) => each === value) ?? 'email' })
          }
          data={importChannels.map((value) => ({ value, label: channelText[value] }))}
        />
      )}
      {choice('status', 'Opt-in or opt-out', 'No such column')}
      {preview.asksYesMeans && (
        <NativeSelect
          label="A yes in this column means"
          value={mapping.yesMeans ?? ''}
          onChange={({ currentTarget: { value } }) =>
            set({ yesMeans: importStatuses.find((each) => each === value) ?? null })
          }
          data={[
            { value: '', label: 'Choose' },
            ...importStatuses.map((value) => ({ value, label: rowStatusText[value] })),
          ]}
        />
      )}
      {!preview.statesConsent && (
        <NativeSelect
          label={needsRowMeaning(preview)}
          description="No column says who opted in. Until you choose, no opt-in is imported."
          value={mapping.statusForAll ?? ''}
          onChange={({ currentTarget: { value } }) =>
            set({ statusForAll: importStatuses.find((each) => each === value) ?? null })
          }
          data={[
            { value: '', label: 'Choose' },
            { value: 'granted', label: 'The person opted in' },
            { value: 'withdrawn', label: 'The person opted out' },
          ]}
        />
      )}
      {choice('wording', 'Wording shown', 'Not in the file')}
      {preview.optOutColumns.length > 0 && (
        <Text fz="sm" className="wide">
          Opt-outs are also read from: <strong>{preview.optOutColumns.join(', ')}</strong>. A yes or a date there always
          means an opt-out.
        </Text>
      )}
    </div>
  )
}

function Rows({ preview, isStale }: { preview: ImportPreview; isStale: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="import-table" aria-label="Preview of the rows" aria-busy={isStale} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {['Row', 'Address', 'Channel', 'Result', 'Date', 'Source', 'Wording shown'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preview.rows.map((row) => (
            <tr key={row.line} className={row.problem ? 'problem' : ''}>
              <td>{row.line}</td>
              <td>{[row.address, ...row.others].filter(Boolean).join(', ') || '–'}</td>
              <td>{row.channel ? channelText[row.channel] : '–'}</td>
              <td>{row.problem ? <strong>Refused: {row.problem}</strong> : describeOutcome(row)}</td>
              <td>{row.at ? <DateTime at={row.at} /> : '–'}</td>
              <td>{row.source || '–'}</td>
              <td>{row.wording || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Findings({ preview: { readable, problems, counts } }: { preview: ImportPreview }) {
  return (
    <div role="status">
      <Text fz="sm">
        {formatCount(readable)} {readable === 1 ? 'row' : 'rows'} can be read: {formatCount(counts.granted)} opted in,{' '}
        {formatCount(counts.withdrawn)} opted out, {formatCount(counts.suppressed)} for the suppression list
        {problems.length > 0 ? '. The others will be refused:' : '.'}
      </Text>
      {problems.length > 0 && (
        <ul style={{ margin: '4px 0 0', paddingInlineStart: 20, fontSize: '0.8125rem' }}>
          {problems.map(({ problem, count }) => (
            <li key={problem}>
              {formatCount(count)}: {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface GroundProps {
  importId: string
  mapping: ImportMapping
  preview: ImportPreview
  /** The preview belongs to the current mapping. */
  isCurrent: boolean
  onDone: () => void
  onCancel: () => void
}

function Ground({ importId, mapping, preview, isCurrent, onDone, onCancel }: GroundProps) {
  const { readable } = preview
  const [ground, setGround] = useState('')
  const confirm = useConfirm(importId)
  useDraft(`consent-import:${importId}`, ground || null, setGround)
  const gap = findMappingGap(mapping, preview)
  const isTooShort = ground.trim().length < MIN_LEGAL_GROUND_LENGTH
  const submit = () =>
    confirm.mutate(
      { mapping, legalGround: ground.trim() },
      {
        onSuccess: () => {
          announce('Import started')
          onDone()
        },
      },
    )
  return (
    <Stack gap="sm">
      <Textarea
        label="How did these people agree?"
        description="Describe where they opted in, and to what. It is recorded with your name and today’s date as evidence."
        placeholder="They ticked “Send me offers by email” in our newsletter form and confirmed it by a link in an email."
        autosize
        minRows={2}
        maxLength={2_000}
        value={ground}
        onChange={({ currentTarget: { value } }) => setGround(value)}
      />
      {gap && <Notice tone="warn">{gap}</Notice>}
      {confirm.error && (
        <Notice tone="bad" title="Not imported" isLive>
          {confirm.error.message}
        </Notice>
      )}
      <Group gap="sm">
        <Button loading={confirm.isPending} disabled={gap !== null || isTooShort || !isCurrent} onClick={submit}>
          Import {formatCount(readable)} {readable === 1 ? 'row' : 'rows'}
        </Button>
        <Button variant="default" disabled={confirm.isPending} onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </Stack>
  )
}

/** Cached per mapping, so switching back is immediate. */
const usePreview = (importId: string, mapping: ImportMapping) =>
  useQuery({
    queryKey: ['consent-preview', importId, mapping],
    queryFn: ({ signal }) => call(previewConsents, { params: { importId }, body: { mapping }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

function useConfirm(importId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { mapping: ImportMapping; legalGround: string }) =>
      call(confirmConsents, { params: { importId }, body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['consent-imports'] }),
  })
}

function useCancelImport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (importId: string) => call(cancelConsents, { params: { importId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['consent-imports'] }),
  })
}
