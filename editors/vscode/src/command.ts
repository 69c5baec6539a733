/** Which command starts the server. */

export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
}

export interface Choice {
  /** The setting `devlint.path`. */
  readonly path?: string | null;
  /** The setting `devlint.interpreter`. */
  readonly interpreter?: string | null;
  /** The interpreter that the Python extension has chosen. */
  readonly active?: string | null;
  readonly folder?: string;
  readonly home: string;
}

/** A path in which `~` and `${workspaceFolder}` stand for folders. */
export function expanded(path: string, folder: string | undefined, home: string): string {
  const absolute = path.replace(/^~(?=$|[\\/])/, () => home);
  return folder === undefined ? absolute : absolute.replaceAll("${workspaceFolder}", () => folder);
}

/** The commands that may start the server, the best first; a setting leaves no choice. */
export function commands(choice: Choice): Command[] {
  const { path, interpreter, active, folder, home } = choice;
  if (path) {
    return [{ program: expanded(path, folder, home), arguments: ["server"] }];
  }
  if (interpreter) {
    return [ofInterpreter(expanded(interpreter, folder, home))];
  }
  return [...(active ? [ofInterpreter(active)] : []), { program: "devlint", arguments: ["server"] }];
}

function ofInterpreter(interpreter: string): Command {
  return { program: interpreter, arguments: ["-m", "devlint", "server"] };
}

/** The first command that runs, where `runs` tries one with other arguments; undefined if none does. */
export async function firstThatRuns(
  candidates: readonly Command[],
  runs: (program: string, parameters: readonly string[]) => Promise<boolean>,
): Promise<Command | undefined> {
  for (const candidate of candidates) {
    if (await runs(candidate.program, [...candidate.arguments, "--help"])) {
      return candidate;
    }
  }
  return undefined;
}

/** What to tell a person for whom no command runs. */
export function advice(candidates: readonly Command[]): string {
  const tried = candidates.map((one) => [one.program, ...one.arguments].join(" ")).join("`, `");
  return `devlint cannot be started (\`${tried}\`). Install it with: pip install "devlint[server]"`;
}

/** The settings as the server gets them: paths without what only VS Code knows. */
export function forServer<T>(settings: T, folder: string | undefined, home: string): T {
  if (settings === null || typeof settings !== "object") {
    return settings;
  }
  const entries = Object.entries(settings).map(([key, value]) => [
    key,
    ["config", "baseline"].includes(key) && typeof value === "string" ? expanded(value, folder, home) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
