import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconPlus, IconTrash } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import type { ReactNode } from 'react'
import {
  type Background,
  backgroundNames,
  type Inline,
  mailLimits,
  showNames,
} from '../../../shared/messages/mail-document.ts'
import { ProductField } from '../audiences/ProductField.tsx'
import { copyBlock, deleteBlock, type FoundBlock, findBand, moveBlock, nameBlock, setFields } from './actions.ts'
import { showLabels } from './fields.ts'
import { ImageSettings } from './ImageSettings.tsx'
import { InlinesField } from './InlinesField.tsx'
import { LinkField } from './LinkField.tsx'
import type { LookSource } from './look.ts'

interface Props {
  editor: Editor
  found: FoundBlock
  look: LookSource
  problems: readonly string[]
  say: (text: string) => void
}

/** What the fields of one block need. */
export interface FieldsProps {
  attrs: Record<string, unknown>
  look: LookSource
  set: (next: Record<string, unknown>) => void
}

/** The settings of the selected block, and of the section around it. */
export function BlockSettings({ editor, found, look, problems, say }: Props) {
  const type = found.node.type.name
  const Fields = fieldsOfType[type]
  const set = (next: Record<string, unknown>) => setFields(editor, found, next)
  return (
    <Stack gap="md">
      <Title order={2}>{nameBlock(found)}</Title>
      {problems.map((text) => (
        <Text key={text} fz="sm" c="var(--rc-bad)" fw={550}>
          {text}
        </Text>
      ))}
      {Fields && <Fields key={found.node.attrs.id ?? type} attrs={found.node.attrs} look={look} set={set} />}
      {type !== 'footer' && (
        <>
          <ShowField value={found.node.attrs.show} onChange={(show) => set({ show })} />
          <Tools editor={editor} found={found} say={say} />
          <BandSettings editor={editor} look={look} pos={found.pos} />
        </>
      )}
    </Stack>
  )
}

const ShowField = ({ value, onChange }: { value: string; onChange: (show: string) => void }) => (
  <NativeSelect
    label="Show"
    value={value}
    data={showNames.map((name) => ({ value: name, label: showLabels[name] }))}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

function Tools({ editor, found, say }: Pick<Props, 'editor' | 'found' | 'say'>) {
  const move = (by: -1 | 1) => {
    const text = moveBlock(editor, by, found)
    if (text) say(text)
  }
  const tool = { variant: 'default', size: 'compact-sm' } as const
  return (
    <Group gap="xs">
      <Button {...tool} leftSection={<IconArrowUp size={14} aria-hidden />} onClick={() => move(-1)}>
        Up
      </Button>
      <Button {...tool} leftSection={<IconArrowDown size={14} aria-hidden />} onClick={() => move(1)}>
        Down
      </Button>
      <Button {...tool} leftSection={<IconCopy size={14} aria-hidden />} onClick={() => copyBlock(editor, found)}>
        Copy
      </Button>
      <Button {...tool} leftSection={<IconTrash size={14} aria-hidden />} onClick={() => deleteBlock(editor, found)}>
        Delete
      </Button>
    </Group>
  )
}

const backgroundLabels: Readonly<Record<Background, string>> = {
  card: 'White or your background',
  soft: 'Soft tint',
  accent: 'Your accent color',
  ink: 'Your text color',
}

function BandSettings({ editor, look, pos }: Pick<Props, 'editor' | 'look'> & { pos: number }) {
  const band = findBand(editor.state, pos)
  if (!band) return null
  const { background, show } = band.node.attrs
  const { grounds } = look.current.theme
  return (
    <Stack gap="sm" className="me-part">
      <Title order={3}>Section around it</Title>
      <div role="radiogroup" aria-label="Background" className="me-swatches">
        {backgroundNames.map((name) => (
          <label key={name} className="me-swatch" title={backgroundLabels[name]}>
            <input
              type="radio"
              name="mail-background"
              aria-label={backgroundLabels[name]}
              checked={background === name}
              onChange={() => setFields(editor, band, { background: name })}
            />
            <span style={{ background: grounds[name].background, color: grounds[name].text }}>Aa</span>
          </label>
        ))}
      </div>
      <NativeSelect
        label="Show this section"
        value={show}
        data={showNames.map((name) => ({ value: name, label: showLabels[name] }))}
        onChange={(event) => setFields(editor, band, { show: event.currentTarget.value })}
      />
    </Stack>
  )
}

const AlignField = ({ attrs, set }: Pick<FieldsProps, 'attrs' | 'set'>) => (
  <Choice
    label="Alignment"
    value={attrs.align as string}
    data={[
      { value: 'start', label: 'Left' },
      { value: 'center', label: 'Center' },
    ]}
    onChange={(align) => set({ align })}
  />
)

interface ChoiceProps {
  label: string
  value: string
  data: { value: string; label: string }[]
  onChange: (value: string) => void
}

const Choice = ({ label, ...control }: ChoiceProps) => (
  <Stack gap={4}>
    <Text fz="sm" fw={550} aria-hidden>
      {label}
    </Text>
    <SegmentedControl size="xs" fullWidth aria-label={label} {...control} />
  </Stack>
)

const Flag = ({ label, name, attrs, set }: { label: string; name: string } & Pick<FieldsProps, 'attrs' | 'set'>) => (
  <Checkbox
    label={label}
    checked={attrs[name] === true}
    onChange={(event) => set({ [name]: event.currentTarget.checked })}
  />
)

const LabelField = ({ attrs, set, empty }: Pick<FieldsProps, 'attrs' | 'set'> & { empty: string }) => (
  <TextInput
    label="Label"
    placeholder={empty}
    description="Empty: the usual words in the shopper’s language"
    maxLength={mailLimits.label}
    value={attrs.label as string}
    onChange={(event) => set({ label: event.currentTarget.value })}
  />
)

const HeadingFields = ({ attrs, set }: FieldsProps) => (
  <>
    <Choice
      label="Size"
      value={String(attrs.level)}
      data={[
        { value: '1', label: 'Large' },
        { value: '2', label: 'Small' },
      ]}
      onChange={(level) => set({ level: Number(level) })}
    />
    <AlignField attrs={attrs} set={set} />
  </>
)

const TextFields = ({ attrs, set }: FieldsProps) => (
  <>
    <Choice
      label="Size"
      value={attrs.size as string}
      data={[
        { value: 'body', label: 'Normal' },
        { value: 'lead', label: 'Large' },
        { value: 'small', label: 'Small' },
        { value: 'label', label: 'Label' },
      ]}
      onChange={(size) => set({ size })}
    />
    <AlignField attrs={attrs} set={set} />
  </>
)

const ItemsFields = ({ attrs, set }: FieldsProps) => (
  <>
    <Choice
      label="Layout"
      value={attrs.layout as string}
      data={[
        { value: 'large', label: 'First large' },
        { value: 'list', label: 'List' },
        { value: 'grid', label: 'Grid' },
      ]}
      onChange={(layout) => set({ layout })}
    />
    <NativeSelect
      label="Which items"
      value={attrs.part as string}
      data={[
        { value: 'all', label: 'All' },
        { value: 'first', label: 'Only the first' },
        { value: 'rest', label: 'All but the first' },
      ]}
      onChange={(event) => set({ part: event.currentTarget.value })}
    />
    <NumberInput
      label="At most"
      description="Further items are counted in a line"
      min={1}
      max={mailLimits.items}
      allowDecimal={false}
      value={attrs.max as number}
      onChange={(max) => set({ max: Math.min(mailLimits.items, Math.max(1, Math.trunc(Number(max)) || 1)) })}
    />
    <Flag label="Prices" name="hasPrices" attrs={attrs} set={set} />
    <Flag label="Quantities" name="hasQuantities" attrs={attrs} set={set} />
    <Flag label="Rows for the coupon and what remains" name="hasCoupon" attrs={attrs} set={set} />
  </>
)

const TotalsFields = ({ attrs, set }: FieldsProps) => (
  <>
    <LabelField attrs={attrs} set={set} empty="Total" />
    <NativeSelect
      label="Amount"
      value={attrs.amount as string}
      data={[
        { value: 'discounted_total', label: 'After the coupon' },
        { value: 'cart_total', label: 'Without the coupon' },
      ]}
      onChange={(event) => set({ amount: event.currentTarget.value })}
    />
    {attrs.amount === 'discounted_total' && (
      <Flag label="Strike through the value before" name="hasBefore" attrs={attrs} set={set} />
    )}
  </>
)

const CouponFields = ({ attrs, look, set }: FieldsProps) => (
  <>
    <InlinesField
      label="Text above the code"
      value={attrs.inlines as Inline[]}
      look={look}
      onChange={(inlines) => set({ inlines })}
    />
    <Flag label="What it saves" name="hasSaving" attrs={attrs} set={set} />
    <Flag label="Last valid day" name="hasExpiry" attrs={attrs} set={set} />
  </>
)

const ButtonFields = ({ attrs, set }: FieldsProps) => (
  <>
    <LabelField attrs={attrs} set={set} empty={attrs.href === 'cart' ? 'Return to your cart' : 'Visit the shop'} />
    <LinkField label="Leads to" value={attrs.href as string} onChange={(href) => set({ href: href ?? 'cart' })} />
    <Choice
      label="Style"
      value={attrs.style as string}
      data={[
        { value: 'solid', label: 'Filled' },
        { value: 'outline', label: 'Outline' },
      ]}
      onChange={(style) => set({ style })}
    />
    <AlignField attrs={attrs} set={set} />
    <Flag label="Full width" name="isWide" attrs={attrs} set={set} />
  </>
)

const ProductFields = ({ attrs, set }: FieldsProps) => (
  <>
    <ProductField
      value={(attrs.productId as string) || null}
      isReadOnly={false}
      onChange={(productId) => set({ productId: productId ?? '' })}
    />
    <LabelField attrs={attrs} set={set} empty="View" />
  </>
)

interface Point {
  title: string
  text: string
}

function TrustFields({ attrs, set }: FieldsProps) {
  const points = attrs.points as Point[]
  const change = (at: number, next: Partial<Point>) =>
    set({ points: points.map((point, index) => (index === at ? { ...point, ...next } : point)) })
  return (
    <>
      <Text fz="sm" c="dimmed">
        What you promise, in your own words. Mails leave an empty one out.
      </Text>
      {points.map((point, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no id and keep their order
        <Stack key={at} gap={6} role="group" aria-label={`Promise ${at + 1}`}>
          <TextInput
            label={`Promise ${at + 1}`}
            placeholder="30 days"
            maxLength={40}
            value={point.title}
            onChange={(event) => change(at, { title: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Text of promise ${at + 1}`}
            placeholder="to change your mind"
            maxLength={120}
            value={point.text}
            onChange={(event) => change(at, { text: event.currentTarget.value })}
          />
        </Stack>
      ))}
      <Group gap="xs">
        {points.length < 3 && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => set({ points: [...points, { title: '', text: '' }] })}
          >
            Add a promise
          </Button>
        )}
        {points.length > 1 && (
          <Button variant="default" size="compact-sm" onClick={() => set({ points: points.slice(0, -1) })}>
            Remove the last one
          </Button>
        )}
      </Group>
    </>
  )
}

const SpacerFields = ({ attrs, set }: FieldsProps) => (
  <Choice
    label="Height"
    value={String(attrs.size)}
    data={['8', '16', '32', '48'].map((value) => ({ value, label: `${value} px` }))}
    onChange={(size) => set({ size: Number(size) })}
  />
)

const ColumnsFields = ({ attrs, set }: FieldsProps) => (
  <Choice
    label="Widths"
    value={attrs.split as string}
    data={[
      { value: '1-1', label: 'Equal' },
      { value: '1-2', label: 'Wide right' },
      { value: '2-1', label: 'Wide left' },
    ]}
    onChange={(split) => set({ split })}
  />
)

const HtmlFields = ({ attrs, set }: FieldsProps) => (
  <Textarea
    label="Source"
    description="Text or HTML with Liquid, from an older template or the API. Sending renders and cleans it."
    autosize
    minRows={8}
    maxRows={24}
    ff="monospace"
    spellCheck={false}
    maxLength={mailLimits.legacyText}
    value={attrs.source as string}
    onChange={(event) => set({ source: event.currentTarget.value })}
  />
)

const FooterFields = ({ attrs, set }: FieldsProps) => (
  <>
    <Textarea
      label="Text above the address"
      description="Empty: the one of your brand"
      autosize
      minRows={2}
      maxLength={mailLimits.footerText}
      value={attrs.text as string}
      onChange={(event) => set({ text: event.currentTarget.value })}
    />
    <Flag label="Social links" name="hasSocial" attrs={attrs} set={set} />
    <Text fz="sm" c="dimmed">
      Your address and the unsubscribe link are in every email, because the law requires them.
    </Text>
  </>
)

const fieldsOfType: Readonly<Record<string, (props: FieldsProps) => ReactNode>> = {
  heading: HeadingFields,
  paragraph: TextFields,
  image: ImageSettings,
  items: ItemsFields,
  totals: TotalsFields,
  coupon: CouponFields,
  button: ButtonFields,
  product: ProductFields,
  trust: TrustFields,
  spacer: SpacerFields,
  social: AlignField,
  columns: ColumnsFields,
  legacy_text: HtmlFields,
  footer: FooterFields,
}
