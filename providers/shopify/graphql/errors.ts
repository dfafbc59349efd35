// Translates graphql-js errors to Shopify's: its server is graphql-ruby, with other messages and codes.
import { type ASTNode, type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'

export interface WireError {
  message: string
  locations?: readonly { line: number; column: number }[]
  path?: readonly (string | number)[]
  extensions?: Record<string, unknown>
}

/** Returns the parsed document or the syntax error. */
export function parseQuery(query: string): DocumentNode | WireError {
  try {
    return parse(query, { maxTokens: 20_000 })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const at = error.locations?.[0]
    const message = `${error.message.replace(/^Syntax Error: /, 'syntax error, ')} at [${at?.line}, ${at?.column}]`
    return { message, locations: error.locations ?? [] }
  }
}

export function validateQuery(schema: GraphQLSchema, document: DocumentNode): WireError[] {
  return validate(schema, document).map((error) => {
    const { message, ...extensions } = translateError(error)
    return { message, locations: error.locations ?? [], path: buildFieldPath(error), extensions }
  })
}

type ErrorText = { message: string; code: string } & Record<string, unknown>

const translations: [pattern: RegExp, words: (match: string[], error: GraphQLError) => ErrorText][] = [
  [
    /^Cannot query field "(\w+)" on type "(\w+)"/,
    ([, fieldName, typeName]) => ({
      message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
      code: 'undefinedField',
      typeName,
      fieldName,
    }),
  ],
  [
    /^Unknown argument "(\w+)" on field "\w+\.(\w+)"/,
    ([, argumentName, name]) => ({
      message: `Field '${name}' doesn't accept argument '${argumentName}'`,
      code: 'argumentNotAccepted',
      name,
      typeName: 'Field',
      argumentName,
    }),
  ],
  [
    /^Expected value of type "(\w+)!?" not to include unknown field "(\w+)"/,
    ([, name, argumentName]) => ({
      message: `InputObject '${name}' doesn't accept argument '${argumentName}'`,
      code: 'argumentNotAccepted',
      name,
      typeName: 'InputObject',
      argumentName,
    }),
  ],
  [
    /^(?:Argument|Input field) "(\w+)\.(\w+)\((\w+):\)".* was not provided/,
    ([, , name, argument]) => ({
      message: `Field '${name}' is missing required arguments: ${argument}`,
      code: 'missingRequiredArguments',
      className: 'Field',
      name,
      arguments: argument,
    }),
  ],
  [
    /^Variable "\$(\w+)" of type "([^"]+)" used in position expecting type "([^"]+)"/,
    ([, name, has, wants]) => ({
      message: `Type mismatch on variable $${name} and argument ${name} (${has} / ${wants})`,
      code: 'variableMismatch',
      variableName: name,
      typeName: has,
    }),
  ],
  [
    /^Variable "\$(\w+)" is not defined/,
    ([, name]) => ({
      message: `Variable $${name} is used by anonymous query but not declared`,
      code: 'variableNotDefined',
      variableName: name,
    }),
  ],
  [
    /^Variable "\$(\w+)" is never used/,
    ([, name]) => ({
      message: `Variable $${name} is declared by anonymous query but not used`,
      code: 'variableNotUsed',
      variableName: name,
    }),
  ],
  [
    /^Field "(\w+)" of type "([^"]+)" must have a selection/,
    ([, name, type]) => ({
      message: `Field must have selections (field '${name}' returns ${type!.replace(/[![\]]/g, '')} but has no selections. Did you mean '${name} { ... }'?)`,
      code: 'selectionMismatch',
      nodeName: `field '${name}'`,
      typeName: type,
    }),
  ],
  [
    /^Field "(\w+)" must not have a selection/,
    ([, name]) => ({
      message: `Selections can't be made on scalars (field '${name}')`,
      code: 'selectionMismatch',
      nodeName: `field '${name}'`,
    }),
  ],
  [
    /^Unknown fragment "(\w+)"/,
    ([, name]) => ({ message: `Fragment ${name} was used, but not defined`, code: 'useAndDefineFragment' }),
  ],
  [
    /^Unknown type "(\w+)"/,
    ([, name]) => ({ message: `No such type ${name}, so it can't be a fragment condition`, code: 'undefinedType' }),
  ],
  [
    /^Value "(\w+)" does not exist in "(\w+)" enum|^(?:Expected value of type "(\w+)!?"|.*cannot represent)/,
    (_match, error) => describeLiteralError(error),
  ],
]

function translateError(error: GraphQLError): ErrorText {
  for (const [pattern, message] of translations) {
    const match = pattern.exec(error.message)
    if (match) return message([...match], error)
  }
  return { message: error.message, code: 'graphqlValidation' }
}

/** Error for a value of the wrong type, with the argument's name and the value's source text. */
function describeLiteralError(error: GraphQLError): ErrorText {
  const node = error.nodes?.[0]
  const value = node ? readSourceText(node) : ''
  const expected = /"([A-Za-z]\w*!?)"(?: enum)?[^"]*$/.exec(error.message.split('Did you mean')[0]!)?.[1] ?? ''
  return {
    message: `Argument has an invalid value (${value}). Expected type '${expected}'.`,
    code: 'argumentLiteralsIncompatible',
    typeName: 'Field',
  }
}

const readSourceText = ({ loc }: ASTNode) => loc?.source.body.slice(loc.start, loc.end) ?? ''

/** Shopify's error path lists the enclosing fields. */
function buildFieldPath(error: GraphQLError): string[] {
  const node = error.nodes?.[0]
  return node && 'name' in node && node.name ? [node.name.value] : []
}
