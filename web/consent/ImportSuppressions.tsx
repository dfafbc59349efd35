import { Button, Checkbox, FileInput, Group, Modal, NativeSelect, Progress, Stack, Text } from '@mantine/core'
import { IconFileText } from '@tabler/icons-react'
import { useState } from 'react'
import { IMPORT_MOST_ROWS, importableReasons, suppressionTexts } from '../../shared/suppressions.ts'
import { formatCount, formatCounted } from '../ui/format.ts'
import { Notice } from '../ui/Notice.tsx'
import {
  buildRows,
  type Field,
  fields,
  guessMapping,
  hasHeading,
  listColumns,
  type Mapping,
  nameColumn,
  type Sheet,
} from './suppression-file.ts'
import { type ImportReport, useImportSuppressions } from './suppression-queries.ts'

export function ImportSuppressions({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Import addresses"
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ChooseFile onClose={onClose} />
    </Modal>
  )
}

const MOST_BYTES = 30 * 1_048_576

function ChooseFile({ onClose }: { onClose: () => void }) {
  const [sheet, setSheet] = useState<Sheet | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const open = async (file: File | null) => {
    setProblem(null)
    setSheet(null)
    if (!file) return
    const read = await readSheet(file)
    if (typeof read === 'string') setProblem(read)
    else setSheet(read)
  }
  return (
    <Stack gap="md">
      <Text fz="sm" c="dimmed">
        A CSV file with one address per line, such as the unsubscribe list of the tool you used before. Importing never
        removes anyone from the list.
      </Text>
      <FileInput
        label="File"
        placeholder="Choose a CSV file"
        accept=".csv,.txt,text/csv"
        leftSection={<IconFileText size={16} aria-hidden />}
        error={problem}
        onChange={open}
      />
      {sheet ? (
        <MapColumns key={sheet.fileName + sheet.rows.length} sheet={sheet} onClose={onClose} />
      ) : (
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Cells of the file, or the reason why it cannot be read. */
async function readSheet(file: File): Promise<Sheet | string> {
  if (file.size > MOST_BYTES) return 'This file is larger than 30 MB. Split it into smaller ones.'
  const { default: papa } = await import('papaparse')
  const { data } = papa.parse<string[]>(await file.text(), { skipEmptyLines: false })
  if (!data.some((row) => row.some((cell) => cell.trim() !== ''))) return 'This file is empty.'
  if (data.length > IMPORT_MOST_ROWS) return `This file has more than ${formatCount(IMPORT_MOST_ROWS)} rows. Split it.`
  return { fileName: file.name.slice(0, 200), rows: data }
}

const labels: Record<Field, string> = {
  address: 'Email or phone number',
  channel: 'Channel',
  reason: 'Reason',
  note: 'Note',
}

function MapColumns({ sheet, onClose }: { sheet: Sheet; onClose: () => void }) {
  const [isHeaded, setHeaded] = useState(() => hasHeading(sheet))
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(sheet, hasHeading(sheet)))
  const [reason, setReason] = useState<(typeof importableReasons)[number]>('manual')
  const [done, setDone] = useState(0)
  const load = useImportSuppressions(setDone)
  const rows = buildRows(sheet, mapping, isHeaded)
  if (load.data) return <Report report={load.data} onClose={onClose} />
  const options = listColumns(sheet).map((column) => ({
    value: String(column),
    label: nameColumn(sheet, column, isHeaded),
  }))
  return (
    <Stack gap="md">
      <Checkbox
        label="The first line contains the column names"
        checked={isHeaded}
        onChange={(event) => setHeaded(event.currentTarget.checked)}
      />
      <div className="mapping">
        {fields.map((field) => (
          <NativeSelect
            key={field}
            label={labels[field]}
            value={mapping[field] === null ? '' : String(mapping[field])}
            onChange={(event) => {
              const { value } = event.currentTarget
              setMapping({ ...mapping, [field]: value === '' ? null : Number(value) })
            }}
            data={field === 'address' ? options : [{ value: '', label: 'Not in the file' }, ...options]}
          />
        ))}
      </div>
      <NativeSelect
        label="Reason, where the file gives none"
        description="Only the person can undo an unsubscribe or a spam report"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value as typeof reason)}
        data={importableReasons.map((value) => ({ value, label: suppressionTexts.reasons[value] }))}
      />
      <Preview rows={rows.slice(0, 5)} mapping={mapping} total={rows.length} />
      {load.isPending && (
        <div role="status">
          <Progress value={(done / rows.length) * 100} aria-label="Rows done" />
          <Text fz="xs" mt={4}>
            {formatCount(done)} of {formatCount(rows.length)} rows
          </Text>
        </div>
      )}
      {load.error && (
        <Notice tone="bad" isLive title="The import stopped">
          {load.error.message} {formatCount(done)} rows were imported before that. Importing the file again is safe:
          nothing is added twice.
        </Notice>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={load.isPending}
          disabled={rows.length === 0}
          onClick={() => load.mutate({ rows, reason, fileName: sheet.fileName })}
        >
          Import {formatCounted(rows.length, 'row')}
        </Button>
      </Group>
    </Stack>
  )
}

function Preview({ rows, mapping, total }: { rows: ReturnType<typeof buildRows>; mapping: Mapping; total: number }) {
  const shown = fields.filter((field) => mapping[field] !== null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is scrolled by the keyboard too
    <section className="preview-table" aria-label="First rows" tabIndex={0}>
      <table>
        <caption>
          The first {rows.length} of {formatCounted(total, 'row')}
        </caption>
        <thead>
          <tr>
            {shown.map((field) => (
              <th key={field} scope="col">
                {labels[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.line}>
              {shown.map((field) => (
                <td key={field}>{row[field] || '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const MOST_SAID = 200

function Report({ report, onClose }: { report: ImportReport; onClose: () => void }) {
  const { taken, known, refused } = report
  return (
    <Stack gap="md">
      <Notice
        tone={refused.length > 0 ? 'warn' : 'good'}
        isLive
        title={`${formatCounted(taken, 'entry', 'entries')} added`}
      >
        {known > 0 && <div>{formatCounted(known, 'was', 'were')} already on the list.</div>}
        {refused.length > 0 && <div>{formatCounted(refused.length, 'row was', 'rows were')} skipped:</div>}
      </Notice>
      {refused.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too
        <section className="refused" aria-label="Skipped rows" tabIndex={0}>
          <ul>
            {refused.slice(0, MOST_SAID).map(({ line, problem }) => (
              <li key={line}>
                Line {formatCount(line)}: {problem}
              </li>
            ))}
          </ul>
          {refused.length > MOST_SAID && <Text fz="xs">and {formatCount(refused.length - MOST_SAID)} more</Text>}
        </section>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}
