import { Button, Group, NumberInput, Stack, Tabs, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Notice } from '../../core/ui/Notice.tsx'
import {
  addVariant,
  changeVariant,
  describeEqualVariants,
  findEqualVariants,
  getVariantLetter,
  removeVariant,
  type StepDraft,
  shareEqually,
  type VariantDraft,
} from './draft.ts'

interface Props {
  step: StepDraft
  chosen: string
  error: string | undefined
  isReadOnly: boolean
  createKey: () => string
  onChoose: (key: string) => void
  onChange: (next: Partial<StepDraft>, what: string, part?: string) => void
  children: ReactNode
}

/** A/B test: each shopper always gets the same variant, and orders are counted per variant. */
export function Variants(props: Props) {
  const { step, chosen, isReadOnly, createKey, onChoose, onChange, children } = props
  const { variants } = step
  const current = variants.find(({ key }) => key === chosen) ?? variants[0]!
  const add = () => {
    const key = createKey()
    const added = addVariant(step, current, key)
    onChange(added, `Variant ${getVariantLetter({ ...step, ...added }, key)} added`)
    onChoose(key)
  }
  const adding = { leftSection: <IconPlus size={14} aria-hidden />, onClick: add }
  if (variants.length > 1) return <Split {...props} current={current} adding={adding} />
  return (
    <Stack gap="md">
      {children}
      {!isReadOnly && (
        <div>
          <Button variant="default" size="compact-sm" {...adding}>
            Test another text
          </Button>
          <Text fz="xs" c="dimmed" mt={4}>
            Some shoppers get another text. Each shopper always gets the same one.
          </Text>
        </div>
      )}
    </Stack>
  )
}

interface SplitProps extends Props {
  current: VariantDraft
  adding: { leftSection: ReactNode; onClick: () => void }
}

function Split({ current, adding, ...props }: SplitProps) {
  const { step, isReadOnly, onChoose, onChange, children } = props
  const { variants } = step
  const letter = getVariantLetter(step, current.key)
  const alike = findEqualVariants(step)
  return (
    <Stack gap="md">
      <Tabs value={current.key} onChange={(key) => key && onChoose(key)} keepMounted={false}>
        <Tabs.List aria-label="Variants of the text">
          {variants.map(({ key, sharePercent }) => (
            <Tabs.Tab key={key} value={key}>
              {getVariantLetter(step, key)} · {Number.isNaN(sharePercent) ? '–' : sharePercent}%
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={current.key} pt="md">
          <Stack gap="md">
            <Share {...props} current={current} letter={letter} />
            {alike && <Notice tone="warn">{describeEqualVariants(alike)}.</Notice>}
            {children}
          </Stack>
        </Tabs.Panel>
      </Tabs>
      {!isReadOnly && (
        <Group gap="xs">
          {variants.length < MOST_VARIANTS && (
            <Button variant="default" size="compact-sm" {...adding}>
              Add a variant
            </Button>
          )}
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onChange(removeVariant(step, current.key), `Variant ${letter} removed`)}
          >
            Remove variant {letter}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Share({
  step,
  error,
  isReadOnly,
  onChange,
  current,
  letter,
}: Props & { current: VariantDraft; letter: string }) {
  const change = (share: number | string) => {
    const sharePercent = share === '' ? Number.NaN : Number(share)
    onChange(changeVariant(step, current.key, { sharePercent }), 'Shares changed', 'shares')
  }
  return (
    <Group align="flex-start" gap="sm">
      <NumberInput
        label={`Share of variant ${letter}`}
        suffix=" %"
        min={1}
        max={99}
        allowDecimal={false}
        w={200}
        disabled={isReadOnly}
        error={error}
        value={Number.isNaN(current.sharePercent) ? '' : current.sharePercent}
        onChange={change}
      />
      {!isReadOnly && (
        <Button
          variant="default"
          mt={24}
          onClick={() => onChange({ variants: shareEqually(step.variants) }, 'Equal shares set')}
        >
          Equal shares
        </Button>
      )}
    </Group>
  )
}

const MOST_VARIANTS = 4
