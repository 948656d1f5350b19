# A rule for every kind of job of every study, for every table that several jobs make, and for every
# step that makes something of tables; then a target for each study.


def place_of(job, wildcards):
    """The formatted coordinates of a job: what its paths say."""
    return tuple(wildcards[name] for name in job.coordinates)


def inputs_of(study, job):
    return lambda wildcards: list(
        PLANS[wildcards.top].inputs(study, job, place_of(job, wildcards)).values()
    )


def input_names_of(study, job):
    """The names of a job's inputs; some that a study may choose mean something to Snakemake."""
    return lambda wildcards: list(
        PLANS[wildcards.top].inputs(study, job, place_of(job, wildcards))
    )


def cells_of(study, job):
    """The cells of a job with what each uses; whatever is not in here reruns nothing."""
    return lambda wildcards: plain_cells(
        PLANS[wildcards.top].settings(study, job, place_of(job, wildcards))
    )


def code_of(study, job):
    return lambda wildcards: PLANS[wildcards.top].code(
        study, job, place_of(job, wildcards)
    )


def parts_of(study, table):
    return lambda wildcards: PLANS[wildcards.top].parts(study, table)


def trial_settings_of(study):
    return lambda wildcards: PLANS[wildcards.top].settings_text(study)


def needs_of(study, step):
    return lambda wildcards: PLANS[wildcards.top].needs(study, step)


def step_settings_of(study, step):
    return lambda wildcards: dict(
        step.settings(PLANS[wildcards.top].sections[study.name])
    )


def step_code_of(study, step):
    return lambda wildcards: plan.digest_of(step.run, step.files, study)


def job_files(study, job):
    """The parts of tables that a job writes, then its other file."""
    parts = [plan.part_file("{top}", study, job, table) for table in job.tables]
    return [*parts, plan.other_file("{top}", study, job)] if job.file else parts


def tables_with_parts(study):
    """Tables that jobs with coordinates make, each once, with their columns."""
    return {
        table: columns
        for job in study.jobs
        if job.coordinates
        for table, columns in job.tables.items()
    }


for study in STUDIES.values():
    order = priorities(PLANS["results"], study, COSTS)
    for job in study.jobs:

        rule:
            name:
                f"{study.name}_{job.name}"
            input:
                inputs_of(study, job),
            output:
                job_files(study, job),
            log:
                plan.log_file("{top}", study, job.name, job),
            benchmark:
                plan.benchmark_file("{top}", study, job)
            wildcard_constraints:
                **{name: "[^/~]+" for name in job.coordinates},
            priority: order[job.name]
            # a profile may say how many share a submission; one whose clock counts shares with none
            group:
                None if job.alone else f"{study.name}_{job.name}"
            conda:
                "../../envs/dpmc.yaml"
            # what measures wall-clock time runs with no other job
            threads: (workflow.cores or 1) if job.alone else 1
            resources:
                slurm_extra="--exclusive" if job.alone else "",
            params:
                run=job.run,
                columns=job.tables,
                inputs=input_names_of(study, job),
                cell=f"{job.cell.__module__}:{job.cell.__qualname__}",
                cells=cells_of(study, job),
                code=code_of(study, job),
                folder=plan.relative_folder(study),
            script:
                "../scripts/job.py"

    for table, columns in tables_with_parts(study).items():
        trials = plan.has_trials(study) and study.regression.table == table

        rule:
            name:
                plan.join_rule(study, table)
            input:
                parts_of(study, table),
            output:
                plan.table_file("{top}", study, table),
                settings=f"{{top}}/{study.name}/{plan.SETTINGS}" if trials else [],
            log:
                plan.log_file("{top}", study, f"join_{table}"),
            group:
                f"{study.name}_results"
            conda:
                "../../envs/dpmc.yaml"
            params:
                columns=columns,
                settings=trial_settings_of(study) if trials else "",
            script:
                "../scripts/join.py"

    for step in study.steps:

        rule:
            name:
                f"{study.name}_{step.name}"
            input:
                needs_of(study, step),
            output:
                [
                    path if step.makes else directory(path)
                    for path in plan.step_files("{top}", study, step)
                ],
            log:
                plan.log_file("{top}", study, step.name),
            benchmark:
                plan.step_benchmark_file("{top}", study, step)
            group:
                f"{study.name}_results"
            conda:
                "../../envs/dpmc.yaml"
            params:
                run=step.run,
                makes=step.makes,
                results=f"{{top}}/{study.name}",
                settings=step_settings_of(study, step),
                code=step_code_of(study, step),
                folder=plan.relative_folder(study),
            script:
                "../scripts/step.py"

    rule:
        name:
            study.name
        input:
            PLANS["results"].targets(study),
            f"results/{study.name}/report/index.html",

    for target in {each.target for each in (*study.jobs, *study.steps)} - {None}:

        rule:
            name:
                target
            input:
                PLANS["results"].targets(study, target),
