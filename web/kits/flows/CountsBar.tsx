import { Group, Text, Tooltip } from '@mantine/core'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { formatCount } from '../../core/ui/format.ts'
import { countParts, describeCounts } from './rules.ts'

/** Every scheduled message is in exactly one part (D6): a bar, and below it the counts. */
export function CountsBar({ counts }: { counts: FlowView['counts'] }) {
  if (counts.planned === 0) {
    return (
      <Text fz="sm" c="dimmed">
        No messages scheduled yet.
      </Text>
    )
  }
  const nonEmpty = countParts.filter(({ key }) => counts[key] > 0)
  return (
    <div>
      <div className="bar" role="img" aria-label={describeCounts(counts)}>
        {nonEmpty.map(({ key, fill }) => (
          <span key={key} className={`fill-${fill}`} style={{ flexGrow: counts[key] }} />
        ))}
      </div>
      <Group component="ul" gap="6px 20px" p={0} mt="sm" mb={0} style={{ listStyle: 'none' }}>
        <li>
          <Text fz="sm">
            <strong className="tabular">{formatCount(counts.planned)}</strong> scheduled
          </Text>
        </li>
        {nonEmpty.map(({ key, fill, label, meaning }) => (
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
