import type { Argument, Command, Option } from 'commander';
import type { NamedKind } from '../server/named-kinds.ts';

/** The shells that completion is for. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** What may stand at a place of the command line: `token create`, with its path from the program on. */
interface Place {
  /** With a space before each word; empty: of the program itself. */
  readonly path: string;
  readonly commands: readonly Command[];
  readonly operands: readonly Argument[];
  readonly options: readonly Option[];
}

/** What operands, and values of options of what asks a controller, are called that name something that it has. */
const kindsByName: ReadonlyMap<string, NamedKind> = new Map([
  ['policy', 'policies'],
  ['source', 'sources'],
  ['namespace', 'namespaces'],
  ['intervention', 'interventions'],
] as const);

/** Stands in the place of the names of files, which the shell itself knows. */
const files = '<files>';

/** What operands and values of options are called that are files or folders. */
const fileNames: ReadonlySet<string> = new Set(['file', 'folder', 'path', 'export', 'checkout']);

/**
 * A script that has a shell complete the commands, options and choices of a program, names of contexts and of what their
 * controllers have, and files where one is wanted.
 */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '');
  if (shell === 'fish') return fishScript(places);
  return `${shell === 'bash' ? bashHead : zshHead}${wordsFunction(places)}${shell === 'bash' ? bashTail : zshTail}`;
}

function placesOf(command: Command, path: string): readonly Place[] {
  const { commands, registeredArguments: operands, options } = command;
  const inner = commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`));
  return [{ path, commands, operands, options }, ...inner];
}

const bashHead = `# Completion of plimsoll for bash: source <(plimsoll completion bash)\n`;
// To bash =, : and @ are words of their own, and only what follows the last of them is replaced; to zsh they are a part
// of the one word. What is offered is quoted, and never expanded: a name may hold spaces and dollar signs. Where a quote
// is open, what does not fit into it as it is is not offered.
const bashTail = `_plimsoll() {
  local each='' glue='' word='' quote='' kept='' files=''
  local -a words=()
  for each in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $each == '=' && \${words[\${#words[@]}-1]} == --* ]]; then
      words+=('') glue=yes
    elif [[ $each == [:@=] ]]; then
      words[\${#words[@]}-1]+=$each glue=yes
    elif [[ $glue ]]; then
      words[\${#words[@]}-1]+=$each glue=''
    else
      words+=("$each")
    fi
  done
  word=\${words[\${#words[@]}-1]}
  case $word in
    [\\"\\']*) quote=\${word:0:1} word=\${word:1} ;;
    *) word=\${word//\\\\/} kept=\${word%"\${word##*[:@=]}"} ;;
  esac
  COMPREPLY=()
  while IFS= read -r each; do
    [[ $each != '${files}' ]] || files=yes
    case $quote$each in
      *'${files}') continue ;;
      \\"*[\\"\\$\\\`\\\\]*|\\'*\\'*) continue ;;
      "$quote$word"*) each=\${each#"$kept"} ;;
      *) continue ;;
    esac
    [[ $quote ]] || printf -v each %q "$each"
    COMPREPLY+=("$each")
  done < <(_plimsoll_words "\${words[@]:1:\${#words[@]}-2}")
  # The shell offers files where nothing else is: bash 3 cannot be told not to.
  if [[ ! $files ]]; then compopt +o default 2>/dev/null; elif [[ $word != -* ]]; then COMPREPLY=(); fi
}
complete -o default -F _plimsoll plimsoll
`;

const zshHead = `#compdef plimsoll
# Completion of plimsoll for zsh: source <(plimsoll completion zsh)\n`;
const zshTail = `_plimsoll() {
  local -a before candidates
  before=("\${(@)words[2,CURRENT-1]}")
  if [[ $words[CURRENT] == --*=* ]]; then
    before+=("\${words[CURRENT]%%=*}")
    compset -P '*='
  fi
  candidates=(\${(f)"$(_plimsoll_words "\${(@)before}")"})
  if (( $candidates[(Ie)${files}] )) && [[ $PREFIX != -* ]]; then
    _files
  else
    candidates=(\${(@)candidates:#${files}})
    compadd -- $candidates
  fi
}
compdef _plimsoll plimsoll
`;

/** A shell function that prints what may stand after the words that it is given; nothing: any value. */
function wordsFunction(places: readonly Place[]): string {
  const values = places.flatMap((place) =>
    place.options
      .filter(takesValue)
      .map((option) => `    ${patternsOf(place, [option])}) ${valuesCommand(place, option)} ;;\n`),
  );
  const words = places.map((place) => {
    const operands = operandCommands(place).map(({ at, command }) => `${at}) ${command} ;; `);
    const first = operands.length === 0 ? '' : `case $operands in ${operands.join('')}esac; `;
    const flags = printed([...place.options.flatMap(flagsOf), '--help']);
    return `      '${place.path}') ${first}[ "$ended" ] || ${flags} ;;\n`;
  });
  return `_plimsoll_words() (
  at='' option='' ended='' operands=0 context='' word=''
  for word in "$@"; do
    if [ "$option" ]; then
      if [ "$option" = --context ]; then context=$word; fi
      option=''
    elif [ "$ended" ]; then
      operands=$((operands + 1))
    else
      case "$at $word" in
        ${commandPatterns(places).join('|')}) at="$at $word" ;;
        ${valuePatterns(places).join('|')}) option=$word ;;
        *' --') ended=yes ;;
        *' --context='*) context=\${word#--context=} ;;
        *' -'*) ;;
        *) operands=$((operands + 1)) ;;
      esac
    fi
  done
  # Words come as they are typed, quoted.
  context=\${context//[\\"\\'\\\\]/}
  case "$at $option" in
${values.join('')}    *) case "$at" in
${words.join('')}    esac ;;
  esac
)
`;
}

/** What leads from a place to the next one. */
function commandPatterns(places: readonly Place[]): readonly string[] {
  return places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
}

/** Options whose value is the next word, at their places. */
function valuePatterns(places: readonly Place[]): readonly string[] {
  return places
    .map((place) => patternsOf(place, place.options.filter(takesValue)))
    .filter((patterns) => patterns !== '');
}

function patternsOf({ path }: Place, options: readonly Option[]): string {
  return options.flatMap((option) => flagsOf(option).map((flag) => `'${path} ${flag}'`)).join('|');
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** Whether what stands at the place asks a controller; beside a kubeconfig, a context is one of kubectl. */
function asksController({ options }: Place): boolean {
  const has = (name: string): boolean => options.some(({ long }) => long === name);
  return has('--context') && !has('--kubeconfig');
}

/** Undefined: it names nothing that a controller has. */
function namedByOperand(place: Place, operand: Argument): NamedKind | undefined {
  return asksController(place) ? kindsByName.get(operand.name()) : undefined;
}

/** Undefined: its value names neither a context nor what a controller has. */
function namedByOption(place: Place, { long }: Option): NamedKind | undefined {
  if (long === undefined || !asksController(place)) return undefined;
  return long === '--context' ? 'contexts' : kindsByName.get(long.slice(2));
}

function flagsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

interface OperandCommand {
  /** How many operands stand before it: `0`, or `*` of any number. */
  readonly at: string;
  /** Prints what may stand there. */
  readonly command: string;
}

/** Of commands, and of operands that have choices or name something. */
function operandCommands(place: Place): readonly OperandCommand[] {
  const { commands, operands } = place;
  const names = commands.map((command) => command.name());
  const inner = names.length === 0 ? [] : [{ at: '0', command: printed(names) }];
  const choices = operands.flatMap((operand, index) => {
    const command = operandCommand(place, operand);
    return command === undefined ? [] : [{ at: operand.variadic ? '*' : String(index), command }];
  });
  return [...inner, ...choices];
}

function operandCommand(place: Place, operand: Argument): string | undefined {
  const named = namedByOperand(place, operand);
  if (named !== undefined) return namesCommand(named);
  if (fileNames.has(operand.name())) return printed([files]);
  return operand.argChoices === undefined ? undefined : printed(operand.argChoices);
}

/** Whether the value of an option is a file or a folder: `--output <file>`. */
function isFile({ flags }: Option): boolean {
  const name = /[<[]([a-z-]+)(?:\.\.\.)?[>\]]$/.exec(flags)?.[1];
  return name !== undefined && fileNames.has(name);
}

function valuesCommand(place: Place, option: Option): string {
  const named = namedByOption(place, option);
  if (named !== undefined) return namesCommand(named);
  if (isFile(option)) return printed([files]);
  const { argChoices } = option;
  return argChoices === undefined ? ':' : printed(argChoices);
}

/** Prints names, one per line: of contexts, or of what the controller has whose context stands on the line. */
function namesCommand(kind: NamedKind): string {
  const context = kind === 'contexts' ? '' : ' \${context:+"--context=$context"}';
  return `plimsoll completion --names ${kind}${context} 2>/dev/null`;
}

function printed(words: readonly string[]): string {
  return `printf '%s\\n' ${words.map((word) => (word === files ? `'${files}'` : word)).join(' ')}`;
}

function fishScript(places: readonly Place[]): string {
  const fishCase = (patterns: readonly string[]): string => patterns.join(' ').replaceAll('|', ' ');
  const head = `# Completion of plimsoll for fish: plimsoll completion fish | source
function __plimsoll_at
  set -l at ''
  set -l option ''
  set -l ended ''
  set -l operands 0
  for word in (commandline -opc)[2..-1]
    if test -n "$option"
      set option ''
    else if test -n "$ended"
      set operands (math $operands + 1)
    else
      switch "$at $word"
        case ${fishCase(commandPatterns(places))}
          set at "$at $word"
        case ${fishCase(valuePatterns(places))}
          set option $word
        case '* --'
          set ended yes
        case '* -*'
        case '*'
          set operands (math $operands + 1)
      end
    end
  end
  test "$at" = "$argv[1]"; and contains -- "$argv[2]" '' $operands
end
function __plimsoll_names
  set -l context
  set -l words (commandline -opc)
  for index in (seq (count $words))
    switch $words[$index]
      case '--context=*'
        set context $words[$index]
      case --context
        set context --context=$words[(math $index + 1)]
    end
  end
  plimsoll completion --names $argv[1] $context 2>/dev/null
end
complete -c plimsoll -f
`;
  return `${head}${places.flatMap(fishLines).join('\n')}\n`;
}

function fishLines(place: Place): readonly string[] {
  const start = (operands = ''): string =>
    `complete -c plimsoll -n '__plimsoll_at "${place.path}"${operands}'`;
  const described = place.commands.map(
    (command) => `${start(' 0')} -f -a ${command.name()} -d ${quoted(command.description())}`,
  );
  const choices = place.operands.flatMap((operand, at) => {
    const here = start(operand.variadic ? '' : ` ${at}`);
    const named = namedByOperand(place, operand);
    if (named !== undefined) return [`${here} -f -a ${quoted(`(__plimsoll_names ${named})`)}`];
    if (fileNames.has(operand.name())) return [`${here} -F`];
    const { argChoices } = operand;
    return argChoices === undefined ? [] : [`${here} -f -a ${quoted(argChoices.join(' '))}`];
  });
  return [
    ...described,
    ...choices,
    ...place.options.map((option) => `${start()} ${fishOption(place, option)}`),
  ];
}

function fishOption(place: Place, option: Option): string {
  const { short, long, description } = option;
  const flags = [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    ...(long === undefined ? [] : [`-l ${long.slice(2)}`]),
  ];
  return [...flags, ...fishValue(place, option), `-d ${quoted(description)}`].join(' ');
}

function fishValue(place: Place, option: Option): readonly string[] {
  if (!takesValue(option)) return [];
  const named = namedByOption(place, option);
  if (named !== undefined) return [`-x -a ${quoted(`(__plimsoll_names ${named})`)}`];
  if (isFile(option)) return ['-r', '-F'];
  return option.argChoices === undefined ? ['-x'] : [`-x -a ${quoted(option.argChoices.join(' '))}`];
}

/** For fish, whose single quotes keep all but themselves and backslashes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
