import { Group, Text, Tooltip } from '@mantine/core'
import type { FlowView } from '../../shared/flows.ts'
import { formatCount } from '../ui/format.ts'
import { CLICKED, countParts, describeCounts } from './rules.ts'

/** Engagement. Opens are separate and labelled as unreliable, machine opens separate from them (decision 22). */
export function ResponsesLine({ responses }: { responses: FlowView['responses'] }) {
  const parts: [count: number, label: string, meaning: string][] = [
    [responses.clicked, 'clicked', CLICKED],
    [
      responses.opened,
      'opened (reported)',
      'Opens reported by email apps. Many apps report none, so opens have no effect on sending.',
    ],
    [
      responses.openedByMachines,
      'opened by machines only',
      'Link scanners, and email apps that load pictures automatically, such as Apple Mail.',
    ],
  ]
  if (parts.every(([count]) => count === 0)) return null
  return (
    <Group component="ul" gap="6px 20px" p={0} mt="xs" mb={0} style={{ listStyle: 'none' }} aria-label="Answers">
      {parts.map(([count, label, meaning]) => (
        <li key={label}>
          <Tooltip label={meaning}>
            <Text fz="sm" c="dimmed">
              <strong className="tabular">{formatCount(count)}</strong> {label}
            </Text>
          </Tooltip>
        </li>
      ))}
    </Group>
  )
}

/** Every scheduled message is in exactly one part (D6): a bar, and below it the counts. */
export function CountsBar({ counts }: { counts: FlowView['counts'] }) {
  if (counts.planned === 0) {
    return (
      <Text fz="sm" c="dimmed">
        No messages scheduled yet.
      </Text>
    )
  }
  const shown = countParts.filter(({ key }) => counts[key] > 0)
  return (
    <div>
      <div className="bar" role="img" aria-label={describeCounts(counts)}>
        {shown.map(({ key, fill }) => (
          <span key={key} className={`fill-${fill}`} style={{ flexGrow: counts[key] }} />
        ))}
      </div>
      <Group component="ul" gap="6px 20px" p={0} mt="sm" mb={0} style={{ listStyle: 'none' }}>
        <li>
          <Text fz="sm">
            <strong className="tabular">{formatCount(counts.planned)}</strong> scheduled
          </Text>
        </li>
        {shown.map(({ key, fill, label, meaning }) => (
          <li key={key}>
            <Tooltip label={meaning}>
              <Group gap={6} wrap="nowrap">
                <span className={`swatch fill-${fill}`} />
                <Text fz="sm">
                  <strong className="tabular">{formatCount(counts[key])}</strong> {label.toLowerCase()}
                </Text>
              </Group>
            </Tooltip>
          </li>
        ))}
      </Group>
    </div>
  )
}
